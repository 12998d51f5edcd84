//! Repairs the folded names of check-lists and graphic plans.

use diesel::prelude::*;
use patrol_domain::shared::text::fold;
use patrol_stored::{data_set::BATCH, texts::is_outdated};

/// A few rows of a table.
struct Page {
    /// The key of the last row.
    last: i64,
    /// The keys and names of the rows with an outdated name.
    outdated: Vec<(i64, String)>,
}

/// Declares the repair of tables with the columns `name` and `name_folded`.
macro_rules! tables {
    ($($table:ident),+) => {
        /// Whether a folded name is missing or outdated. Only reads.
        pub(crate) fn are_outdated(conn: &mut SqliteConnection) -> QueryResult<bool> {
            $({
                let mut after = 0;
                while let Some(Page { last, outdated }) = $table::page(conn, after)? {
                    if !outdated.is_empty() {
                        return Ok(true);
                    }
                    after = last;
                }
            })+
            Ok(false)
        }

        /// Writes the folded names where they are missing or outdated. Runs in a transaction of the
        /// caller.
        pub(crate) fn repair(conn: &mut SqliteConnection) -> QueryResult<()> {
            $({
                let mut after = 0;
                while let Some(Page { last, outdated }) = $table::page(conn, after)? {
                    for (row, name) in outdated {
                        $table::write(conn, row, &name)?;
                    }
                    after = last;
                }
            })+
            Ok(())
        }

        $(
            mod $table {
                use patrol_stored::schema::$table;

                use super::*;

                /// The next rows after the key `after`; `None` at the end.
                pub(super) fn page(
                    conn: &mut SqliteConnection,
                    after: i64,
                ) -> QueryResult<Option<Page>> {
                    let rows: Vec<(i64, String, Option<String>)> = $table::table
                        .filter($table::row.gt(after))
                        .order($table::row)
                        .limit(BATCH)
                        .select(($table::row, $table::name, $table::name_folded))
                        .load(conn)?;
                    let Some((last, ..)) = rows.last() else { return Ok(None) };
                    let last = *last;
                    let outdated = rows.into_iter().filter_map(|(row, name, folded)| {
                        is_outdated(&name, folded.as_deref()).then_some((row, name))
                    });
                    Ok(Some(Page { last, outdated: outdated.collect() }))
                }

                pub(super) fn write(
                    conn: &mut SqliteConnection,
                    row: i64,
                    name: &str,
                ) -> QueryResult<()> {
                    diesel::update($table::table.filter($table::row.eq(row)))
                        .set($table::name_folded.eq(fold(name)))
                        .execute(conn)?;
                    Ok(())
                }
            }
        )+
    };
}

tables!(check_lists, graphic_plans);
