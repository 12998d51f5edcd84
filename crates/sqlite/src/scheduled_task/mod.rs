//! Scheduled tasks: a row with documents, and link tables for its sets.

pub(crate) mod texts;

use diesel::{prelude::*, result::Error};
use patrol_domain::{
    EditError, StoreError, Timestamp, Version, Versioned,
    data_set::NewTask,
    event::Origin,
    ids::{CheckListId, ScheduledTaskId, UserId},
    scheduled_task::ScheduledTask,
};
use patrol_repository::remove_following;
use patrol_stored::{
    scheduled_task::{
        Read, Written,
        rounds::{Begun, forget_left_out},
    },
    schema::{scheduled_task_assignees, scheduled_tasks},
    sql::{PackedDocument, StoredPlan, id},
};

use crate::{
    change::{self, Change, Creatable, Editable, Entity, Findable, Found, Removable},
    data_set::{Failure, Import, Kind, occurrences},
    engine::Abort,
    link::{link_table, missing},
    repository::{JobConnection, finish},
    revision::Aggregate,
    statement::{self, last_insert_rowid},
};

link_table!(assignees, scheduled_task_assignees, patrol_stored::sql::Id);
link_table!(tags, scheduled_task_tags, &str);
link_table!(check_lists, scheduled_task_check_lists, patrol_stored::sql::Id);

impl Entity for ScheduledTask {
    const AGGREGATE: Aggregate = Aggregate::ScheduledTask;

    /// Tasks have no history. Their executions follow each change.
    fn record<E>(
        conn: &mut SqliteConnection,
        change: &Change<'_, Self>,
        by: &Origin,
    ) -> Result<bool, Abort<E>> {
        let begun = match change {
            Change::Create(task) => Begun::of_new(task, by.at),
            Change::Update(_, task) => Begun::of(task, by),
            Change::Delete(..) => return Ok(false),
        };
        let same = scheduled_tasks::table.filter(scheduled_tasks::id.eq(id(change.record().id)));
        diesel::update(same).set(begun).execute(conn)?;
        Ok(false)
    }
}

/// A row: its key, its version, its columns and its steps.
type Stored = (i64, i64, Read, Option<StoredPlan>);

fn read((row, version, read, steps): Stored) -> Result<Found<ScheduledTask>, StoreError> {
    let versioned = Versioned { record: read.task(steps)?, version: Version(version) };
    Ok(Found { row, versioned })
}

impl Findable for ScheduledTask {
    fn find<E>(
        conn: &mut SqliteConnection,
        task: ScheduledTaskId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let found: Option<Stored> = scheduled_tasks::table
            .filter(scheduled_tasks::id.eq(id(task)))
            .select((
                scheduled_tasks::row,
                scheduled_tasks::version,
                Read::as_select(),
                scheduled_tasks::steps,
            ))
            .first(conn)
            .optional()?;
        Ok(found.map(read).transpose()?)
    }
}

impl Creatable for ScheduledTask {
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        let row = insert_row(conn, new, at)?;
        Ok(replace_links(conn, row, &Sets::default(), &Sets::of(new))?)
    }
}

impl Editable for ScheduledTask {
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let Found { row, versioned } = old;
        let version = scheduled_tasks::version.eq(versioned.version.next().0);
        let steps = scheduled_tasks::steps.eq(PackedDocument::of_plan(new)?);
        let same = scheduled_tasks::row.eq(*row);
        statement::update(scheduled_tasks::table, same, (Written::of(new)?, version, steps))
            .execute(conn)?;
        Ok(replace_links(conn, *row, &Sets::of(&versioned.record), &Sets::of(new))?)
    }
}

impl Removable for ScheduledTask {
    fn remove_with(
        conn: &mut SqliteConnection,
        old: &Self,
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        finish(remove_following(&JobConnection::of(conn), old.id, by))
    }

    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        let Found { row, versioned } = old;
        replace_links(conn, *row, &Sets::of(&versioned.record), &Sets::default())?;
        diesel::delete(scheduled_tasks::table.filter(scheduled_tasks::row.eq(*row)))
            .execute(conn)?;
        Ok(())
    }
}

impl Kind for NewTask {
    fn store(&self, conn: &mut SqliteConnection, import: &mut Import<'_>) -> Result<(), Failure> {
        let Self { task, left_out: _ } = self;
        let row = insert_row(conn, task, import.at)?;
        let beside = |error: Error| Failure::beside(row)(error.into());
        if task.schedule.is_some() {
            let same = scheduled_tasks::table.filter(scheduled_tasks::row.eq(row));
            let begun = Begun::of_import(task, import.at);
            diesel::update(same).set(begun).execute(conn).map_err(beside)?;
        }
        replace_links(conn, row, &Sets::default(), &Sets::of(task)).map_err(beside)?;
        occurrences::leave_out(conn, self).map_err(beside)
    }

    fn page(
        conn: &mut SqliteConnection,
        after: i64,
    ) -> Result<Vec<(i64, Self)>, Abort<StoreError>> {
        let rows: Vec<Stored> = scheduled_tasks::table
            .filter(scheduled_tasks::row.gt(after))
            .order(scheduled_tasks::row)
            .limit(patrol_stored::data_set::BATCH)
            .select((
                scheduled_tasks::row,
                scheduled_tasks::version,
                Read::as_select(),
                scheduled_tasks::steps,
            ))
            .load(conn)?;
        let Some((last, ..)) = rows.last() else { return Ok(Vec::new()) };
        let mut left_out = occurrences::left_out(conn, after, *last)?;
        rows.into_iter()
            .map(|stored| {
                let Found { row, versioned } = read(stored)?;
                let left_out = left_out.remove(&versioned.record.id).unwrap_or_default();
                Ok((row, Self { task: versioned.record, left_out }))
            })
            .collect()
    }
}

/// Stores a new task without its links. Returns the key of the row. The id may have been used before;
/// its versions were lower than the current time in milliseconds.
fn insert_row<E>(
    conn: &mut SqliteConnection,
    task: &ScheduledTask,
    at: Timestamp,
) -> Result<i64, Abort<E>> {
    forget_left_out(&[task.id]).execute(conn)?;
    let version = scheduled_tasks::version.eq(at.millis());
    let steps = scheduled_tasks::steps.eq(PackedDocument::of_plan(task)?);
    diesel::insert_into(scheduled_tasks::table)
        .values((Written::of(task)?, version, steps))
        .execute(conn)?;
    Ok(diesel::select(last_insert_rowid()).get_result(conn)?)
}

/// The sets of a task, without duplicates.
#[derive(Default)]
struct Sets<'a> {
    assignees: &'a [UserId],
    tags: &'a [String],
    check_lists: Vec<CheckListId>,
}

impl<'a> Sets<'a> {
    fn of(task: &'a ScheduledTask) -> Self {
        let ScheduledTask { assignee_ids, tags, .. } = task;
        Self { assignees: assignee_ids, tags, check_lists: task.check_list_ids() }
    }
}

/// Changes the pairs of `row` from `old` to `new`. Writes only the differences.
fn replace_links(
    conn: &mut SqliteConnection,
    row: i64,
    old: &Sets<'_>,
    new: &Sets<'_>,
) -> QueryResult<()> {
    for assignee in missing(old.assignees, new.assignees) {
        assignees::remove(conn, row, id(*assignee))?;
    }
    for assignee in missing(new.assignees, old.assignees) {
        assignees::add(conn, row, id(*assignee))?;
    }
    for tag in missing(old.tags, new.tags) {
        tags::remove(conn, row, tag)?;
    }
    for tag in missing(new.tags, old.tags) {
        tags::add(conn, row, tag)?;
    }
    for list in missing(&old.check_lists, &new.check_lists) {
        check_lists::remove(conn, row, id(*list))?;
    }
    for list in missing(&new.check_lists, &old.check_lists) {
        check_lists::add(conn, row, id(*list))?;
    }
    Ok(())
}

/// The number of tasks that are looked up together.
const PAGE: i64 = 256;

/// Removes a deleted user from the assignees of all tasks.
pub(crate) fn unassign(
    conn: &mut SqliteConnection,
    user: UserId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    loop {
        let tasks: Vec<Stored> = scheduled_tasks::table
            .inner_join(
                scheduled_task_assignees::table
                    .on(scheduled_task_assignees::row.eq(scheduled_tasks::row)),
            )
            .filter(scheduled_task_assignees::value.eq(id(user)))
            .order(scheduled_task_assignees::row)
            .limit(PAGE)
            .select((
                scheduled_tasks::row,
                scheduled_tasks::version,
                Read::as_select(),
                scheduled_tasks::steps,
            ))
            .load(conn)?;
        if tasks.is_empty() {
            return Ok(());
        }
        // Each change removes the pair that found the task.
        for stored in tasks {
            let old = read(stored)?;
            let Some(new) = old.versioned.record.without_deleted_assignee(user) else {
                let cause =
                    "a scheduled task is linked with a user who is not one of its assignees";
                return Err(StoreError::Internal(cause.to_owned()).into());
            };
            ScheduledTask::replace(conn, &old, &new)?;
            change::record_changes(conn, &[Change::Update(&old.versioned.record, &new)], by)?;
        }
    }
}
