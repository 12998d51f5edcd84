//! Repairs the folded texts of points.

use diesel::prelude::*;
use patrol_stored::{
    data_set::BATCH,
    point::{Folded, Read, outdated},
    schema::points,
};

/// Whether a point has missing or outdated texts. Only reads.
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

/// Writes the texts of all points where they are missing or outdated. Runs in a transaction of the
/// caller.
pub(crate) fn repair(conn: &mut SqliteConnection) -> QueryResult<()> {
    let mut after = 0;
    while let Some((last, outdated)) = page(conn, after)? {
        for (row, folded) in outdated {
            diesel::update(points::table.filter(points::row.eq(row))).set(folded).execute(conn)?;
        }
        after = last;
    }
    Ok(())
}

/// The row keys of points with outdated texts, and the right texts.
type Outdated = Vec<(i64, Folded)>;

/// Of the next points after the row key `after`: the last row key, and those with outdated texts.
/// `None` at the end.
fn page(conn: &mut SqliteConnection, after: i64) -> QueryResult<Option<(i64, Outdated)>> {
    let rows: Vec<(i64, Read, Folded)> = points::table
        .filter(points::row.gt(after))
        .order(points::row)
        .limit(BATCH)
        .select((points::row, Read::as_select(), Folded::as_select()))
        .load(conn)?;
    let Some((last, ..)) = rows.last() else { return Ok(None) };
    let last = *last;
    let outdated =
        rows.into_iter().filter_map(|(row, read, stored)| Some((row, outdated(read, &stored)?.1)));
    Ok(Some((last, outdated.collect())))
}
