//! Repairs the folded texts of scheduled tasks.

use diesel::prelude::*;
use patrol_stored::{
    data_set::BATCH,
    scheduled_task::{Folded, Unfolded},
    schema::scheduled_tasks,
};

/// Whether a task has missing or outdated texts. Only reads.
pub(crate) fn are_outdated(conn: &mut SqliteConnection) -> QueryResult<bool> {
    let mut after = 0;
    while let Some(Page { last, outdated }) = page(conn, after)? {
        if !outdated.is_empty() {
            return Ok(true);
        }
        after = last;
    }
    Ok(false)
}

/// Writes the texts of all tasks where they are missing or outdated. Runs in a transaction of the
/// caller.
pub(crate) fn repair(conn: &mut SqliteConnection) -> QueryResult<()> {
    let mut after = 0;
    while let Some(Page { last, outdated }) = page(conn, after)? {
        for (row, folded) in outdated {
            diesel::update(scheduled_tasks::table.filter(scheduled_tasks::row.eq(row)))
                .set(folded)
                .execute(conn)?;
        }
        after = last;
    }
    Ok(())
}

/// A few tasks.
struct Page {
    /// The row key of the last of them.
    last: i64,
    /// The row keys of those with outdated texts, and the right texts.
    outdated: Vec<(i64, Folded)>,
}

/// The next tasks after the row key `after`; `None` at the end.
fn page(conn: &mut SqliteConnection, after: i64) -> QueryResult<Option<Page>> {
    let rows: Vec<(i64, Unfolded)> = scheduled_tasks::table
        .filter(scheduled_tasks::row.gt(after))
        .order(scheduled_tasks::row)
        .limit(BATCH)
        .select((scheduled_tasks::row, Unfolded::as_select()))
        .load(conn)?;
    let Some((last, _)) = rows.last() else { return Ok(None) };
    let last = *last;
    let outdated =
        rows.into_iter().filter_map(|(row, task)| Some((row, task.outdated()?))).collect();
    Ok(Some(Page { last, outdated }))
}
