//! Export: every record of one snapshot. A record comes after those it refers to.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use patrol_domain::{StoreError, data_set::Record, ids::Uuid, list::PART_BYTES};
use patrol_stored::{
    check_list, location, point, scheduled_task,
    schema::{
        check_lists, graphic_plans, locations, points, scheduled_tasks, task_executions, users,
    },
    sql::id,
};

use crate::{
    check_list::with_actions,
    engine::{Abort, Connection, Sender},
    task_execution, user,
};

/// The records of a batch: enough for a low overhead, few enough for little memory.
const BATCH: i64 = 128;

/// The size that a batch counts for: two of them wait to be written.
const BATCH_BYTES: usize = PART_BYTES / 2;

/// Sends the entities that `$entities` makes from the rows of `$query`, in batches, in order of id.
macro_rules! batches {
    ($conn:ident, $to:ident, $table:ident, $query:expr, |$rows:ident| $entities:expr, $record:expr) => {{
        let mut conn = $conn;
        let mut after: Option<Uuid> = None;
        loop {
            let mut page = $query.order($table::id).limit(BATCH).into_boxed();
            if let Some(after) = after {
                page = page.filter($table::id.gt(id(after)));
            }
            let $rows = page.load(&mut conn).await?;
            let page: Vec<_> = $entities?;
            let Some(last) = page.last() else { break };
            after = Some(last.id.into());
            $to.send(page.into_iter().map($record).collect(), BATCH_BYTES).await?;
        }
    }};
}

/// Sends all records in batches.
pub(super) async fn export(
    conn: &Connection,
    to: &Sender<Vec<Record>>,
) -> Result<(), Abort<StoreError>> {
    let query = || locations::table.select(location::Read::as_select());
    batches!(conn, to, locations, query(), |rows| each(rows, location::Read::location), |of| {
        Record::Location(of)
    });
    let query = || graphic_plans::table.select(location::PlanRead::as_select());
    batches!(conn, to, graphic_plans, query(), |rows| each(rows, location::PlanRead::plan), |of| {
        Record::GraphicPlan(of)
    });
    batches!(conn, to, users, user::query(), |rows| each(rows, user::read), |user| {
        Record::User { user: Box::new(user), password_hash: None }
    });
    let query = || points::table.select(point::Read::as_select());
    batches!(conn, to, points, query(), |rows| each(rows, point::Read::point), |point| {
        Record::Point(Box::new(point))
    });
    let query = || check_lists::table.select(check_list::ListRead::as_select());
    batches!(conn, to, check_lists, query(), |rows| with_actions(conn, rows).await, |of| {
        Record::CheckList(of)
    });
    let query = || scheduled_tasks::table.select(scheduled_task::Read::as_select());
    batches!(
        conn,
        to,
        scheduled_tasks,
        query(),
        |rows| each(rows, scheduled_task::Read::task),
        |of| { Record::ScheduledTask(of) }
    );
    let read = |row| Ok(task_execution::read(row)?.record);
    batches!(conn, to, task_executions, task_execution::query(), |rows| each(rows, read), |of| {
        Record::TaskExecution(Box::new(of))
    });
    Ok(())
}

fn each<R, T>(
    rows: Vec<R>,
    read: impl FnMut(R) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    rows.into_iter().map(read).collect()
}
