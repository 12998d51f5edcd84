//! Link tables: `(value, row)` pairs, with which lists find the records whose set contains a value.

use std::{collections::HashSet, hash::Hash};

/// Declares a module with the statements of a link table.
macro_rules! link_table {
    ($name:ident, $table:ident, $value:ty) => {
        mod $name {
            use diesel::{ExpressionMethods, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection};
            use patrol_stored::schema::$table;

            pub(super) fn add(
                conn: &mut SqliteConnection,
                row: i64,
                value: $value,
            ) -> QueryResult<()> {
                diesel::insert_into($table::table)
                    .values(($table::value.eq(value), $table::row.eq(row)))
                    .execute(conn)?;
                Ok(())
            }

            pub(super) fn remove(
                conn: &mut SqliteConnection,
                row: i64,
                value: $value,
            ) -> QueryResult<()> {
                let pair =
                    $table::table.filter($table::value.eq(value)).filter($table::row.eq(row));
                diesel::delete(pair).execute(conn)?;
                Ok(())
            }
        }
    };
}
pub(crate) use link_table;

/// The values of `some` that are not in `others`.
pub(crate) fn missing<'a, T: Eq + Hash>(
    some: &'a [T],
    others: &'a [T],
) -> impl Iterator<Item = &'a T> {
    let others: HashSet<_> = if some.is_empty() { HashSet::new() } else { others.iter().collect() };
    some.iter().filter(move |value| !others.contains(value))
}
