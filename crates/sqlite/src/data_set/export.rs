//! Export: every record of one snapshot, in an order that defines before it refers.

use diesel::SqliteConnection;
use patrol_domain::{StoreError, data_set::Record, list::PART_BYTES};

use super::scheduled_task;
use crate::{
    check_list,
    engine::{Abort, Sender},
    location, point, task_execution, user,
};

/// Records of one batch: enough that a batch costs little, few enough that it takes little room.
const BATCH: i64 = 128;

/// Sends all records in batches.
pub(super) fn export(
    conn: &mut SqliteConnection,
    to: &mut Sender<Vec<Record>>,
) -> Result<(), Abort<StoreError>> {
    batches(to, |after| numbered(location::page(conn, after, BATCH)?, Record::Location))?;
    batches(to, |after| {
        numbered(location::graphic_plans_page(conn, after, BATCH)?, Record::GraphicPlan)
    })?;
    batches(to, |after| {
        let user = |user| {
            let user = Box::new(user);
            Record::User { user, password_hash: None }
        };
        numbered(user::page(conn, after, BATCH)?, user)
    })?;
    batches(to, |after| {
        numbered(point::page(conn, after, BATCH)?, |point| Record::Point(Box::new(point)))
    })?;
    batches(to, |after| numbered(check_list::page(conn, after, BATCH)?, Record::CheckList))?;
    batches(to, |after| {
        numbered(scheduled_task::page(conn, after, BATCH)?, Record::ScheduledTask)
    })?;
    batches(to, |after| {
        numbered(task_execution::page(conn, after, BATCH)?, |execution| {
            Record::TaskExecution(Box::new(execution))
        })
    })
}

/// Records, and the row of the last of them.
type Batch = Option<(i64, Vec<Record>)>;

/// Sends what `next` gives after each row until it gives nothing.
fn batches(
    to: &mut Sender<Vec<Record>>,
    mut next: impl FnMut(i64) -> Result<Batch, Abort<StoreError>>,
) -> Result<(), Abort<StoreError>> {
    let mut after = 0;
    while let Some((last, records)) = next(after)? {
        to.send(records, PART_BYTES)?;
        after = last;
    }
    Ok(())
}

fn numbered<T>(
    page: Vec<(i64, T)>,
    record: impl Fn(T) -> Record,
) -> Result<Batch, Abort<StoreError>> {
    let last = page.last().map(|(row, _)| *row);
    let records = page.into_iter().map(|(_, entity)| record(entity)).collect();
    Ok(last.map(|last| (last, records)))
}
