//! Export: every record of one snapshot. A record comes after those it refers to.

use diesel::prelude::*;
use patrol_domain::{StoreError, data_set::Record, list::PART_BYTES};
use patrol_stored::{
    check_list, location, point, scheduled_task,
    schema::{check_lists, graphic_plans, locations, points, scheduled_tasks, users},
    user,
};

use crate::{
    check_list::with_actions,
    engine::{Abort, Sender},
    task_execution,
    user::with_locations,
};

/// The records of a batch: enough for a low overhead, few enough for little memory.
const BATCH: i64 = 128;

/// At most a batch of the rows of `$table` after the row `$after`, in order of the row key.
macro_rules! rows {
    ($conn:ident, $after:ident, $table:ident, $read:ty) => {
        $table::table
            .filter($table::row.gt($after))
            .order($table::row)
            .limit(BATCH)
            .select(($table::row, <$read>::as_select()))
            .load::<(i64, $read)>($conn)?
    };
}

/// Sends all records in batches.
pub(super) fn export(
    conn: &mut SqliteConnection,
    to: &mut Sender<Vec<Record>>,
) -> Result<(), Abort<StoreError>> {
    batches(to, |after| {
        records(rows!(conn, after, locations, location::Read), |_, read| {
            Ok(Record::Location(read.location()?))
        })
    })?;
    batches(to, |after| {
        records(rows!(conn, after, graphic_plans, location::PlanRead), |_, read| {
            Ok(Record::GraphicPlan(read.plan()?))
        })
    })?;
    batches(to, |after| {
        records(rows!(conn, after, users, user::Read), |row, read| {
            let user = Box::new(with_locations(conn, row, read)?);
            Ok(Record::User { user, password_hash: None })
        })
    })?;
    batches(to, |after| {
        records(rows!(conn, after, points, point::Read), |_, read| {
            Ok(Record::Point(Box::new(read.point()?)))
        })
    })?;
    batches(to, |after| {
        records(rows!(conn, after, check_lists, check_list::ListRead), |row, read| {
            Ok(Record::CheckList(with_actions(conn, row, read)?))
        })
    })?;
    batches(to, |after| {
        records(rows!(conn, after, scheduled_tasks, scheduled_task::Read), |_, read| {
            Ok(Record::ScheduledTask(read.task()?))
        })
    })?;
    batches(to, |after| {
        records(task_execution::page(conn, after, BATCH)?, |_, execution| {
            Ok(Record::TaskExecution(Box::new(execution)))
        })
    })
}

/// Records, and the row key of the last one.
type Batch = Option<(i64, Vec<Record>)>;

/// Sends the batches of `next`, which gets the last row key, until there are no more.
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

fn records<T>(
    rows: Vec<(i64, T)>,
    mut record: impl FnMut(i64, T) -> Result<Record, Abort<StoreError>>,
) -> Result<Batch, Abort<StoreError>> {
    let Some((last, _)) = rows.last() else { return Ok(None) };
    let last = *last;
    let records: Result<_, _> = rows.into_iter().map(|(row, read)| record(row, read)).collect();
    Ok(Some((last, records?)))
}
