//! Link tables: the sets of an execution as `(value, row)` pairs, by which lists find the executions
//! that have a value.

use std::{collections::HashSet, hash::Hash};

use diesel::{QueryResult, SqliteConnection};
use patrol_domain::ids::{PointId, UserId};

use crate::value::id;

macro_rules! link {
    ($name:ident, $table:ident, $value:ty) => {
        mod $name {
            use diesel::{ExpressionMethods, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection};

            use crate::schema::$table;

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

link!(assignees, task_execution_assignees, crate::value::Id);
link!(tags, task_execution_tags, &str);
link!(points, task_execution_points, crate::value::Id);

/// The sets of an execution; none holds a value twice.
#[derive(Clone, Copy)]
pub(super) struct Sets<'a> {
    pub(super) assignees: &'a [UserId],
    pub(super) tags: &'a [String],
    pub(super) points: &'a [PointId],
}

impl Sets<'_> {
    pub(super) const EMPTY: Sets<'static> = Sets { assignees: &[], tags: &[], points: &[] };
}

/// Makes the pairs of `row` those of `new`, where they were those of `old`. Only what differs is
/// written.
pub(super) fn replace(
    conn: &mut SqliteConnection,
    row: i64,
    old: Sets<'_>,
    new: Sets<'_>,
) -> QueryResult<()> {
    for assignee in missing(old.assignees, new.assignees) {
        assignees::remove(conn, row, id(*assignee))?;
    }
    for assignee in missing(new.assignees, old.assignees) {
        assignees::add(conn, row, id(*assignee))?;
    }
    for tag in missing(old.tags, new.tags) {
        tags::remove(conn, row, tag)?;
    }
    for tag in missing(new.tags, old.tags) {
        tags::add(conn, row, tag)?;
    }
    for point in missing(old.points, new.points) {
        points::remove(conn, row, id(*point))?;
    }
    for point in missing(new.points, old.points) {
        points::add(conn, row, id(*point))?;
    }
    Ok(())
}

/// The values of `some` that are missing in `others`.
fn missing<'a, T: Eq + Hash>(some: &'a [T], others: &'a [T]) -> impl Iterator<Item = &'a T> {
    let others: HashSet<_> = if some.is_empty() { HashSet::new() } else { others.iter().collect() };
    some.iter().filter(move |value| !others.contains(value))
}
