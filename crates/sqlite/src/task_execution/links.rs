//! Link tables: the sets of an execution as `(value, row)` pairs, by which lists find the
//! executions with a value.

use std::{collections::HashSet, hash::Hash};

use diesel::{ExpressionMethods, QueryResult, RunQueryDsl, SqliteConnection};
use patrol_domain::ids::{PointId, UserId};
use patrol_stored::{
    schema::{task_execution_points, task_execution_tags},
    sql::{Id, id},
};

macro_rules! link {
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

link!(assignees, task_execution_assignees, patrol_stored::sql::Id);
link!(tags, task_execution_tags, &str);
link!(points, task_execution_points, patrol_stored::sql::Id);

/// The sets of an execution, without duplicates.
#[derive(Clone, Copy)]
pub(super) struct Sets<'a> {
    pub(super) assignees: &'a [UserId],
    pub(super) tags: &'a [String],
    pub(super) points: &'a [PointId],
}

impl Sets<'_> {
    pub(super) const EMPTY: Sets<'static> = Sets { assignees: &[], tags: &[], points: &[] };
}

/// Changes the pairs of `row` from `old` to `new`. Writes only the differences.
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

/// The most pairs in one statement.
const TOGETHER: usize = 32;

macro_rules! add_all {
    ($name:ident, $table:ident, $value:ty) => {
        /// Sorted, because that is the fastest order of inserts.
        fn $name(conn: &mut SqliteConnection, pairs: &[($value, i64)]) -> QueryResult<()> {
            // Diesel keeps a statement for an array only when the values are owned.
            let values =
                |(value, row): ($value, i64)| ($table::value.eq(value), $table::row.eq(row));
            let (groups, rest) = pairs.as_chunks::<TOGETHER>();
            for group in groups {
                let values = group.clone().map(values);
                diesel::insert_into($table::table).values(values).execute(conn)?;
            }
            for pair in rest {
                diesel::insert_into($table::table).values(values(pair.clone())).execute(conn)?;
            }
            Ok(())
        }
    };
}

add_all!(add_tags, task_execution_tags, String);
add_all!(add_points, task_execution_points, Id);

/// Pairs of many new executions, which are stored together in sorted order, so that they touch few
/// pages. Assignees are stored at once, because each has to be an existing user.
#[derive(Default)]
pub(crate) struct Later {
    tags: Vec<(String, i64)>,
    points: Vec<(PointId, i64)>,
}

impl Later {
    /// The number of pairs to collect; they take a few MB.
    const ENOUGH: usize = 65_536;

    /// Stores the pairs of `row`, most of them later.
    pub(super) fn add(
        &mut self,
        conn: &mut SqliteConnection,
        row: i64,
        sets: Sets<'_>,
    ) -> QueryResult<()> {
        let Sets { assignees, tags, points } = sets;
        for assignee in assignees {
            assignees::add(conn, row, id(*assignee))?;
        }
        self.tags.extend(tags.iter().map(|tag| (tag.clone(), row)));
        self.points.extend(points.iter().map(|point| (*point, row)));
        if self.tags.len() + self.points.len() >= Self::ENOUGH { self.store(conn) } else { Ok(()) }
    }

    /// Stores the collected pairs.
    pub(crate) fn store(&mut self, conn: &mut SqliteConnection) -> QueryResult<()> {
        self.tags.sort_unstable();
        add_tags(conn, &self.tags)?;
        self.tags.clear();
        self.points.sort_unstable();
        let points: Vec<_> = self.points.drain(..).map(|(point, row)| (id(point), row)).collect();
        add_points(conn, &points)
    }
}

/// The values of `some` that are not in `others`.
fn missing<'a, T: Eq + Hash>(some: &'a [T], others: &'a [T]) -> impl Iterator<Item = &'a T> {
    let others: HashSet<_> = if some.is_empty() { HashSet::new() } else { others.iter().collect() };
    some.iter().filter(move |value| !others.contains(value))
}
