//! The trigram index of the executions. A change records its row as pending; steps of bounded size
//! add pending rows to the index and merge its parts (`docs/adr/0014-search-by-trigrams.md`).

use std::ops::Range;

use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Nullable},
};

/// A step is worthwhile from this number of pending rows on. Searches compare pending rows one by
/// one.
const MIN_PENDING: i64 = 256;

/// The maximum number of rows of a step: [`MIN_PENDING`], and 64 for the last group of writes
/// before the step.
const MAX_ROWS: i64 = 320;

/// The maximum number of bytes of text of a step, unless its first row has more.
const MAX_BYTES: i64 = 48 * 1024;

/// A merge ends after this number of pages, at the next trigram.
const MERGED_PAGES: i64 = 32;

/// Whether enough rows are pending for a step.
pub(crate) fn has_enough_pending(conn: &mut SqliteConnection) -> QueryResult<bool> {
    Ok(number(conn, "SELECT max(position) FROM task_execution_unsearched")?
        .is_some_and(|pending| pending >= MIN_PENDING))
}

/// Adds pending rows to the index: one step, in the caller's transaction. Takes the rows with the
/// greatest positions, so that positions stay low: at 10,000, a trigger would add all pending rows
/// at once.
pub(crate) fn add_pending(conn: &mut SqliteConnection) -> QueryResult<()> {
    let Some(first) = first_of_step(conn)? else { return Ok(()) };
    for statement in [
        "DELETE FROM task_execution_texts
         WHERE rowid IN (SELECT row FROM task_execution_unsearched WHERE position >= ?)",
        &adding("row IN (SELECT row FROM task_execution_unsearched WHERE position >= ?)"),
        "DELETE FROM task_execution_unsearched WHERE position >= ?",
    ] {
        diesel::sql_query(statement).bind::<BigInt, _>(first).execute(conn)?;
    }
    Ok(())
}

/// Merges segments of the FTS5 index: one step. Returns whether there may be more to merge.
pub(crate) fn merge(conn: &mut SqliteConnection) -> QueryResult<bool> {
    const CHANGES: &str = "SELECT total_changes()";
    let before = number(conn, CHANGES)?;
    diesel::sql_query(
        "INSERT INTO task_execution_texts (task_execution_texts, rank) VALUES ('merge', ?)",
    )
    .bind::<BigInt, _>(MERGED_PAGES)
    .execute(conn)?;
    let changes = number(conn, CHANGES)?.zip(before).map(|(after, before)| after - before);
    // The statement itself counts as one change.
    Ok(changes.is_some_and(|changes| changes > 1))
}

/// Removes the index entries of this row key and all greater ones. They may come from removed
/// executions that had these keys.
pub(crate) fn remove_from(conn: &mut SqliteConnection, row: i64) -> QueryResult<()> {
    diesel::sql_query("DELETE FROM task_execution_texts WHERE rowid >= ?")
        .bind::<BigInt, _>(row)
        .execute(conn)?;
    Ok(())
}

/// Adds these rows, which are not in the index.
pub(crate) fn add(conn: &mut SqliteConnection, rows: Range<i64>) -> QueryResult<()> {
    diesel::sql_query(adding("row >= ? AND row < ?"))
        .bind::<BigInt, _>(rows.start)
        .bind::<BigInt, _>(rows.end)
        .execute(conn)?;
    Ok(())
}

/// Merges all segments of the index into one.
pub(crate) fn merge_all(conn: &mut SqliteConnection) -> QueryResult<()> {
    diesel::sql_query(
        "INSERT INTO task_execution_texts (task_execution_texts) VALUES ('optimize')",
    )
    .execute(conn)?;
    Ok(())
}

/// The statement that adds these rows, as in the migration of the search.
fn adding(rows: &str) -> String {
    format!(
        r"INSERT INTO task_execution_texts (rowid, texts)
          SELECT row, name_folded || char(10) || coalesce(description_folded, '') || char(10)
              || json_extract(
                  replace(replace(json_quote(tags_folded), '\\', '\u005c'), '\u0000', '\n'), '$'
              )
          FROM task_executions WHERE {rows}"
    )
}

/// The first position of a step; `None` without pending rows.
fn first_of_step(conn: &mut SqliteConnection) -> QueryResult<Option<i64>> {
    let last: Vec<(i64, i64)> = sql::<(BigInt, BigInt)>(
        "SELECT position, coalesce(octet_length(name_folded) + octet_length(tags_folded), 0)
             + coalesce(octet_length(description_folded), 0)
         FROM task_execution_unsearched LEFT JOIN task_executions USING (row)
         ORDER BY position DESC LIMIT ",
    )
    .bind::<BigInt, _>(MAX_ROWS)
    .load(conn)?;
    let mut sum: i64 = 0;
    let taken = last.into_iter().enumerate().take_while(|(place, (_, bytes))| {
        sum = sum.saturating_add(*bytes);
        *place == 0 || sum <= MAX_BYTES
    });
    Ok(taken.last().map(|(_, (position, _))| position))
}

fn number(conn: &mut SqliteConnection, query: &str) -> QueryResult<Option<i64>> {
    sql::<Nullable<BigInt>>(query).get_result(conn)
}

#[cfg(test)]
mod tests;
