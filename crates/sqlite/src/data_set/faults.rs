//! Finds the faults of a record that the store refused.

use diesel::{dsl::exists, prelude::*};
use patrol_domain::{
    Fault, Rule,
    check_list::CheckList,
    data_set::{Record, Reference},
    point::Point,
    user::User,
};
use patrol_stored::{
    schema::{check_list_actions, check_lists, graphic_plans, points, task_executions},
    sql::id,
};

use crate::reference;

/// The references of `record` to missing records and the values that other records have, in the
/// order of the members. `row` is the record's own row, if it was stored.
pub(super) fn of(
    conn: &mut SqliteConnection,
    record: &Record,
    row: Option<i64>,
) -> QueryResult<Vec<Fault>> {
    let mut taken = Vec::new();
    if row.is_none() {
        taken.push(("id".to_owned(), has_id(conn, record)?));
        if let Record::User { user, .. } = record {
            taken.extend(taken_of_user(conn, user)?);
        }
    }
    let mut faults = broken(taken, Rule::Unique);
    for (identifier, reference) in record.references() {
        if !has(conn, reference)? {
            faults.push(Fault { identifier, rule: Rule::Reference });
        }
    }
    let taken = match record {
        Record::Point(point) => taken_of_point(conn, point)?,
        Record::CheckList(list) => taken_of_check_list(conn, list, row)?,
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

fn has(conn: &mut SqliteConnection, reference: Reference) -> QueryResult<bool> {
    match reference {
        Reference::User(user) => reference::has_user(conn, user),
        Reference::Location(location) => reference::has_location(conn, location),
        Reference::GraphicPlan(plan, location) => reference::has_graphic_plan(conn, plan, location),
        Reference::ScheduledTask(task) => reference::has_scheduled_task(conn, task),
    }
}

/// Whether another record of its kind has the record's id.
fn has_id(conn: &mut SqliteConnection, record: &Record) -> QueryResult<bool> {
    match record {
        Record::User { user, .. } => reference::has_user(conn, user.id),
        Record::Location(location) => reference::has_location(conn, location.id),
        Record::GraphicPlan(plan) => {
            let same = graphic_plans::table.filter(graphic_plans::id.eq(id(plan.id)));
            diesel::select(exists(same.select(graphic_plans::row))).get_result(conn)
        }
        Record::Point(point) => reference::has_point(conn, point.id),
        Record::CheckList(list) => {
            let same = check_lists::table.filter(check_lists::id.eq(id(list.id)));
            diesel::select(exists(same.select(check_lists::row))).get_result(conn)
        }
        Record::ScheduledTask(task) => reference::has_scheduled_task(conn, task.id),
        Record::TaskExecution(execution) => {
            let same = task_executions::table.filter(task_executions::id.eq(id(execution.id)));
            diesel::select(exists(same.select(task_executions::row))).get_result(conn)
        }
    }
}

fn taken_of_user(conn: &mut SqliteConnection, user: &User) -> QueryResult<Vec<(String, bool)>> {
    let mut taken = Vec::new();
    for (member, name) in [("employeeNo", &user.employee_no), ("email", &user.email)] {
        if let Some(name) = name {
            taken.push((member.to_owned(), reference::has_user_named(conn, name)?));
        }
    }
    Ok(taken)
}

fn taken_of_point(conn: &mut SqliteConnection, point: &Point) -> QueryResult<Vec<(String, bool)>> {
    let mut taken = Vec::new();
    if let Some(code) = &point.rfid_code {
        let same = points::table.filter(points::rfid_code.eq(code));
        taken.push((
            "rfidCode".to_owned(),
            diesel::select(exists(same.select(points::row))).get_result(conn)?,
        ));
    }
    if let Some(code) = &point.qr_code {
        let same = points::table.filter(points::qr_code.eq(code));
        taken.push((
            "qrCode".to_owned(),
            diesel::select(exists(same.select(points::row))).get_result(conn)?,
        ));
    }
    Ok(taken)
}

/// `row` is the check-list's own row, whose actions do not count.
fn taken_of_check_list(
    conn: &mut SqliteConnection,
    list: &CheckList,
    row: Option<i64>,
) -> QueryResult<Vec<(String, bool)>> {
    let mut taken = Vec::new();
    for (at, action) in list.actions.iter().enumerate() {
        let of_list: Option<i64> = check_list_actions::table
            .filter(check_list_actions::id.eq(id(action.id)))
            .select(check_list_actions::check_list_row)
            .first(conn)
            .optional()?;
        taken.push((format!("actions[{at}].id"), of_list.is_some() && of_list != row));
    }
    Ok(taken)
}
