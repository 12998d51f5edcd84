//! The statements by which executions are read and written. Each has a fixed form, so that a
//! connection keeps it prepared.

use diesel::{
    dsl::{self, AsSelect, exists},
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{
    Named, StoreError, Timestamp, Version,
    ids::{PointId, SeriesId, TaskExecutionId, UserId},
    task_execution::{State, TaskExecution},
};
use patrol_stored as stored;

use super::{
    links::{self, Later, Sets},
    row::{self, Changed, Read, Stored, Written},
};
use crate::{
    engine::Abort,
    schema::{task_execution_steps, task_executions},
    update,
    value::{Row, StoredId, StoredIds, StoredTexts, id, unwritable},
};

/// Executions with their steps.
#[dsl::auto_type(no_type_alias)]
fn with_steps() -> _ {
    let columns: AsSelect<Read, Sqlite> = Read::as_select();
    task_executions::table
        .left_join(task_execution_steps::table)
        .select((columns, task_execution_steps::document.nullable()))
}

/// The execution, or none.
pub(crate) fn get<E>(
    conn: &mut SqliteConnection,
    execution: TaskExecutionId,
) -> Result<Option<Stored>, Abort<E>> {
    let query = with_steps().filter(task_executions::id.eq(id(execution)));
    Ok(query.first(conn).optional()?.map(row::read).transpose()?)
}

/// Whether there is this execution.
pub(super) fn has(conn: &mut SqliteConnection, execution: TaskExecutionId) -> QueryResult<bool> {
    let same = task_executions::table.filter(task_executions::id.eq(id(execution)));
    diesel::select(exists(same)).get_result(conn)
}

/// The PENDING executions of `series` that start at `from` or later, by id.
pub(crate) fn pending<E>(
    conn: &mut SqliteConnection,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Stored>, Abort<E>> {
    let query = with_steps()
        .filter(task_executions::series_id.eq(id(series)))
        .filter(task_executions::state.eq(State::Pending.code()))
        .filter(task_executions::start_at.ge(from.millis()))
        .order(task_executions::id);
    read_all(query.load(conn)?)
}

/// At most `limit` executions of a row after `after`, by row, each with its row.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, TaskExecution)>, Abort<E>> {
    let query = with_steps()
        .filter(task_executions::row.gt(after))
        .order(task_executions::row)
        .limit(limit);
    let found: Vec<Stored> = read_all(query.load(conn)?)?;
    Ok(found.into_iter().map(|stored| (stored.row, stored.found.record)).collect())
}

fn read_all<E>(found: Vec<(Read, Option<row::StoredSteps>)>) -> Result<Vec<Stored>, Abort<E>> {
    Ok(found.into_iter().map(row::read).collect::<Result<_, _>>()?)
}

/// What is stored of a new execution. To make it takes no store.
pub(crate) struct New {
    written: Written,
    document: Vec<u8>,
    points: Vec<PointId>,
}

impl New {
    pub(crate) fn of(execution: &TaskExecution) -> Result<Self, StoreError> {
        let points = execution.point_ids();
        Ok(Self {
            written: Written::of(execution, &points)?,
            document: stored::steps::write(&execution.steps).map_err(unwritable)?,
            points,
        })
    }
}

/// The row that the next new execution gets, for as long as the transaction holds the write lock.
pub(crate) fn next_row(conn: &mut SqliteConnection) -> QueryResult<i64> {
    let last: Option<i64> =
        task_executions::table.select(dsl::max(task_executions::row)).first(conn)?;
    Ok(last.map_or(1, |last| last.saturating_add(1)))
}

/// Stores a new execution in this version, but for what refers to its row.
pub(crate) fn insert_row<E>(
    conn: &mut SqliteConnection,
    row: i64,
    new: &New,
    version: Version,
) -> Result<(), Abort<E>> {
    let key = (task_executions::row.eq(row), task_executions::version.eq(version.0));
    diesel::insert_into(task_executions::table).values((key, &new.written)).execute(conn)?;
    Ok(())
}

/// Stores the steps and the sets of a new execution; with `later`, some of them there.
pub(crate) fn insert_parts<E>(
    conn: &mut SqliteConnection,
    row: i64,
    new: &New,
    execution: &TaskExecution,
    later: Option<&mut Later>,
) -> Result<(), Abort<E>> {
    diesel::insert_into(task_execution_steps::table)
        .values((
            task_execution_steps::row.eq(row),
            task_execution_steps::document.eq(&new.document),
        ))
        .execute(conn)?;
    let sets = sets(execution, &new.points);
    match later {
        Some(later) => later.add(conn, row, sets)?,
        None => links::replace(conn, row, Sets::EMPTY, sets)?,
    }
    Ok(())
}

/// Stores `new` where `old` is, in this version. Only what differs is written.
pub(crate) fn replace<E>(
    conn: &mut SqliteConnection,
    row: i64,
    old: &TaskExecution,
    new: &TaskExecution,
    version: Version,
) -> Result<(), Abort<E>> {
    let (old_points, new_points) = (old.point_ids(), new.point_ids());
    let changed =
        Changed::between(&Written::of(old, &old_points)?, Written::of(new, &new_points)?, version);
    update::set(task_executions::table, task_executions::row.eq(row), changed).execute(conn)?;
    if old.steps != new.steps {
        let document = stored::steps::write(&new.steps).map_err(unwritable)?;
        let same = task_execution_steps::row.eq(row);
        let document = task_execution_steps::document.eq(document);
        update::set(task_execution_steps::table, same, document).execute(conn)?;
    }
    links::replace(conn, row, sets(old, &old_points), sets(new, &new_points))?;
    Ok(())
}

fn sets<'a>(execution: &'a TaskExecution, points: &'a [PointId]) -> Sets<'a> {
    Sets { assignees: &execution.assignee_ids, tags: &execution.tags, points }
}

/// What has to be known of an execution to remove it.
#[derive(Queryable, Selectable)]
#[diesel(table_name = task_executions, check_for_backend(Sqlite))]
struct Removed {
    row: i64,
    id: StoredId,
    version: i64,
    assignee_ids: StoredIds<UserId>,
    tags: StoredTexts,
    point_ids: StoredIds<PointId>,
}

/// An execution that may be removed.
pub(super) struct Removal(Removed);

/// The execution to be removed, or none.
pub(super) fn removal(
    conn: &mut SqliteConnection,
    execution: TaskExecutionId,
) -> QueryResult<Option<Removal>> {
    let query = task_executions::table
        .filter(task_executions::id.eq(id(execution)))
        .select(Removed::as_select());
    Ok(query.first(conn).optional()?.map(Removal))
}

impl Removal {
    /// The version that would be removed.
    pub(super) const fn version(&self) -> Version {
        Version(self.0.version)
    }

    /// Removes the row with all that refers to it.
    pub(super) fn carry_out<E>(self, conn: &mut SqliteConnection) -> Result<(), Abort<E>> {
        let Removed { row, id, version: _, assignee_ids, tags, point_ids } = self.0;
        let at = Row::new("task_executions", id);
        let sets = Sets {
            assignees: &at.ids("assignee_ids", assignee_ids)?,
            tags: &at.texts("tags", tags)?,
            points: &at.ids("point_ids", point_ids)?,
        };
        links::replace(conn, row, sets, Sets::EMPTY)?;
        // The steps go with it.
        diesel::delete(task_executions::table.filter(task_executions::row.eq(row)))
            .execute(conn)?;
        Ok(())
    }
}
