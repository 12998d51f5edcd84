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
    while let Some((last, outdated)) = page(conn, after)? {
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
    while let Some((last, outdated)) = page(conn, after)? {
        for (row, folded) in outdated {
            diesel::update(users::table.filter(users::row.eq(row))).set(folded).execute(conn)?;
        }
        after = last;
    }
    Ok(())
}

/// The users with outdated texts among the next ones after the row key `after`, and the last row key
/// of those; `None` at the end.
fn page(conn: &mut SqliteConnection, after: i64) -> QueryResult<Option<(i64, Vec<(i64, Folded)>)>> {
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
    Ok(Some((last, outdated)))
}
