//! Repairs the folded texts of users.

use diesel::prelude::*;
use patrol_stored::{
    data_set::BATCH,
    schema::users,
    user::{Folded, Read, outdated},
};

/// Whether a user has missing or outdated texts. Only reads.
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

/// Writes the texts of all users where they are missing or outdated. Runs in a transaction of the
/// caller.
pub(crate) fn repair(conn: &mut SqliteConnection) -> QueryResult<()> {
    let mut after = 0;
    while let Some(Page { last, outdated }) = page(conn, after)? {
        for (row, folded) in outdated {
            diesel::update(users::table.filter(users::row.eq(row))).set(folded).execute(conn)?;
        }
        after = last;
    }
    Ok(())
}

/// A few users.
struct Page {
    /// The row key of the last of them.
    last: i64,
    /// The row keys of those with outdated texts, and the right texts.
    outdated: Vec<(i64, Folded)>,
}

/// The next users after the row key `after`; `None` at the end.
fn page(conn: &mut SqliteConnection, after: i64) -> QueryResult<Option<Page>> {
    let rows: Vec<(i64, Read, Folded)> = users::table
        .filter(users::row.gt(after))
        .order(users::row)
        .limit(BATCH)
        .select((users::row, Read::as_select(), Folded::as_select()))
        .load(conn)?;
    let Some((last, ..)) = rows.last() else { return Ok(None) };
    let last = *last;
    let outdated = rows
        .into_iter()
        .filter_map(|(row, read, stored)| Some((row, outdated(read, &stored)?.1)))
        .collect();
    Ok(Some(Page { last, outdated }))
}
