//! Link tables: the sets of an execution as `(value, row)` pairs, with which lists find the
//! executions whose set contains a value.

use std::{collections::BTreeMap, mem};

use diesel::{ExpressionMethods, QueryResult, RunQueryDsl, SqliteConnection};
use patrol_domain::ids::{PointId, UserId};
use patrol_repository::stored::{
    schema::{task_execution_assignees, task_execution_points, task_execution_tags},
    sql::{Id, id},
};

use crate::link::link_table;

link_table!(assignees, task_execution_assignees, UserId);
link_table!(tags, task_execution_tags, text);
link_table!(points, task_execution_points, PointId);

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
    assignees::replace(conn, row, old.assignees, new.assignees)?;
    tags::replace(conn, row, old.tags, new.tags)?;
    points::replace(conn, row, old.points, new.points)
}

/// The maximum number of pairs in one statement.
const PAIRS_PER_STATEMENT: usize = 32;

macro_rules! add_all {
    ($name:ident, $table:ident, $value:ty) => {
        /// Inserts the pairs, which have to be sorted: inserts are fastest in the order of the key.
        fn $name(
            conn: &mut SqliteConnection,
            mut pairs: impl Iterator<Item = ($value, i64)>,
        ) -> QueryResult<()> {
            let values =
                |(value, row): ($value, i64)| ($table::value.eq(value), $table::row.eq(row));
            loop {
                let group: Vec<_> = pairs.by_ref().take(PAIRS_PER_STATEMENT).map(values).collect();
                // Diesel keeps a statement for an array only when the values are owned.
                match <[_; PAIRS_PER_STATEMENT]>::try_from(group) {
                    Ok(group) => diesel::insert_into($table::table).values(group).execute(conn)?,
                    Err(rest) => {
                        for pair in rest {
                            diesel::insert_into($table::table).values(pair).execute(conn)?;
                        }
                        return Ok(());
                    }
                };
            }
        }
    };
}

add_all!(add_assignees, task_execution_assignees, Id);
add_all!(add_tags, task_execution_tags, String);
add_all!(add_points, task_execution_points, Id);

/// The row keys of executions by value. The keys of a value ascend, because each new execution gets
/// a greater key.
type RowsByValue<T> = BTreeMap<T, Vec<i64>>;

/// The pairs in sorted order.
fn pairs<T: Clone>(rows: RowsByValue<T>) -> impl Iterator<Item = (T, i64)> {
    rows.into_iter().flat_map(|(value, rows)| rows.into_iter().map(move |row| (value.clone(), row)))
}

/// Pairs of many new executions. They are stored later, together and sorted, so that they touch few
/// pages.
#[derive(Default)]
pub(crate) struct DeferredPairs {
    assignees: RowsByValue<UserId>,
    tags: RowsByValue<String>,
    points: RowsByValue<PointId>,
    /// The approximate memory of the pairs.
    bytes: usize,
}

impl DeferredPairs {
    /// The pairs are stored when they take this many bytes.
    const CAPACITY: usize = 8 * 1024 * 1024;

    /// The maximum memory of a pair, in a vector that has just grown.
    const PAIR_BYTES: usize = 16;

    /// The memory of a value, without its text.
    const VALUE_BYTES: usize = 128;

    /// Collects the pairs of `row`. Stores all collected pairs when they take [`Self::CAPACITY`].
    pub(super) fn add(
        &mut self,
        conn: &mut SqliteConnection,
        row: i64,
        sets: Sets<'_>,
    ) -> QueryResult<()> {
        let Sets { assignees, tags, points } = sets;
        for assignee in assignees {
            let rows = self.assignees.entry(*assignee).or_insert_with(|| {
                self.bytes += Self::VALUE_BYTES;
                Vec::new()
            });
            rows.push(row);
        }
        for tag in tags {
            if let Some(rows) = self.tags.get_mut(tag) {
                rows.push(row);
            } else {
                self.tags.insert(tag.clone(), vec![row]);
                self.bytes += Self::VALUE_BYTES + tag.len();
            }
        }
        for point in points {
            let rows = self.points.entry(*point).or_insert_with(|| {
                self.bytes += Self::VALUE_BYTES;
                Vec::new()
            });
            rows.push(row);
        }
        self.bytes += (assignees.len() + tags.len() + points.len()) * Self::PAIR_BYTES;
        if self.bytes >= Self::CAPACITY { self.store(conn) } else { Ok(()) }
    }

    /// Stores the collected pairs.
    pub(crate) fn store(&mut self, conn: &mut SqliteConnection) -> QueryResult<()> {
        let assignees = pairs(mem::take(&mut self.assignees));
        add_assignees(conn, assignees.map(|(assignee, row)| (id(assignee), row)))?;
        add_tags(conn, pairs(mem::take(&mut self.tags)))?;
        let points = pairs(mem::take(&mut self.points));
        add_points(conn, points.map(|(point, row)| (id(point), row)))?;
        self.bytes = 0;
        Ok(())
    }
}
