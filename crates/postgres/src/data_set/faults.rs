//! Finds the faults of a record that the store refuses.

use diesel::{dsl::exists, prelude::*};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Fault, Rule,
    check_list::CheckList,
    data_set::{Record, Reference},
    ids::CheckListActionId,
    point::Point,
    shared::text::fold,
    user::User,
};
use patrol_stored::{
    schema::{
        check_list_actions, check_lists, graphic_plans, locations, points, scheduled_tasks,
        task_executions, users,
    },
    sql::{StoredId, id, ids},
};

use crate::engine::Connection;

/// The references of `record` that are not in `known` and the values that other records have, in
/// the order of the members. Nothing of `record` has been stored.
pub(super) async fn of(
    conn: &Connection,
    record: &Record,
    is_known: impl Fn(&Reference) -> bool,
) -> QueryResult<Vec<Fault>> {
    let mut taken = vec![("id".to_owned(), has_id(conn, record).await?)];
    if let Record::User { user, .. } = record {
        taken.extend(taken_of_user(conn, user).await?);
    }
    let mut faults = broken(taken, Rule::Unique);
    let references = record.references().into_iter();
    let missing = references.map(|(identifier, reference)| (identifier, !is_known(&reference)));
    faults.extend(broken(missing.collect(), Rule::Reference));
    let taken = match record {
        Record::Point(point) => taken_of_point(conn, point).await?,
        Record::CheckList(list) => taken_of_check_list(conn, list).await?,
        _ => Vec::new(),
    };
    faults.extend(broken(taken, Rule::Unique));
    Ok(faults)
}

/// The faults of those members that are marked as broken.
fn broken(members: Vec<(String, bool)>, rule: Rule) -> Vec<Fault> {
    let broken = members.into_iter().filter(|(_, broken)| *broken);
    broken.map(|(identifier, _)| Fault { identifier, rule: rule.clone() }).collect()
}

/// Whether another record of its kind has the record's id.
async fn has_id(mut conn: &Connection, record: &Record) -> QueryResult<bool> {
    macro_rules! has {
        ($table:ident, $id:expr) => {
            diesel::select(exists($table::table.find(id($id)).select($table::id)))
                .get_result(&mut conn)
                .await
        };
    }
    match record {
        Record::User { user, .. } => has!(users, user.id),
        Record::Location(location) => has!(locations, location.id),
        Record::GraphicPlan(plan) => has!(graphic_plans, plan.id),
        Record::Point(point) => has!(points, point.id),
        Record::CheckList(list) => has!(check_lists, list.id),
        Record::ScheduledTask(task) => has!(scheduled_tasks, task.id),
        Record::TaskExecution(execution) => has!(task_executions, execution.id),
    }
}

async fn taken_of_user(mut conn: &Connection, user: &User) -> QueryResult<Vec<(String, bool)>> {
    let mut taken = Vec::new();
    for (member, name) in [("employeeNo", &user.employee_no), ("email", &user.email)] {
        let Some(name) = name.as_deref().map(fold) else { continue };
        let named = users::employee_no_folded.eq(&name).or(users::email_folded.eq(&name));
        let same = users::table.filter(named);
        let is_taken = diesel::select(exists(same.select(users::id))).get_result(&mut conn).await?;
        taken.push((member.to_owned(), is_taken));
    }
    Ok(taken)
}

async fn taken_of_point(mut conn: &Connection, point: &Point) -> QueryResult<Vec<(String, bool)>> {
    let mut taken = Vec::new();
    if let Some(code) = &point.rfid_code {
        let same = points::table.filter(points::rfid_code.eq(code));
        let is_taken =
            diesel::select(exists(same.select(points::id))).get_result(&mut conn).await?;
        taken.push(("rfidCode".to_owned(), is_taken));
    }
    if let Some(code) = &point.qr_code {
        let same = points::table.filter(points::qr_code.eq(code));
        let is_taken =
            diesel::select(exists(same.select(points::id))).get_result(&mut conn).await?;
        taken.push(("qrCode".to_owned(), is_taken));
    }
    Ok(taken)
}

async fn taken_of_check_list(
    mut conn: &Connection,
    list: &CheckList,
) -> QueryResult<Vec<(String, bool)>> {
    let named: Vec<_> = list.actions.iter().map(|action| action.id).collect();
    let same = check_list_actions::table.filter(check_list_actions::id.eq_any(ids(&named)));
    let found: Vec<StoredId> = same.select(check_list_actions::id).load(&mut conn).await?;
    let found: Vec<CheckListActionId> = found.into_iter().filter_map(StoredId::get).collect();
    let actions = list.actions.iter().enumerate();
    let taken =
        actions.map(|(at, action)| (format!("actions[{at}].id"), found.contains(&action.id)));
    Ok(taken.collect())
}
