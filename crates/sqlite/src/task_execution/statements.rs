//! The statements that read and write executions. Each has a fixed form, so that it stays prepared.

use diesel::{
    dsl::{self, AsSelect},
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{
    Named as _, StoreError, Timestamp, Version, Versioned,
    ids::{PointId, SeriesId, TaskExecutionId, UserId},
    task_execution::{State, TaskExecution},
};
use patrol_repository::data_set::Page;
use patrol_stored::{
    page::{Place, ROWS},
    schema::{task_execution_assignees, task_execution_steps, task_executions},
    sql::{PackedDocument, StoredSteps, id, time},
    statement::update,
    task_execution::{Changed, Read, Written, is_pending},
};

use super::links::{self, Later, Sets};
use crate::engine::Abort;

/// Executions with their steps.
#[dsl::auto_type(no_type_alias)]
fn with_steps() -> _ {
    let columns: AsSelect<Read, Sqlite> = Read::as_select();
    let same = task_execution_steps::row.eq(task_executions::row);
    task_executions::table.left_join(task_execution_steps::table.on(same)).select((
        task_executions::row,
        columns,
        task_execution_steps::document.nullable(),
    ))
}

/// A row of [`with_steps`].
type Joined = (i64, Read, Option<StoredSteps>);

/// The key of the row, and the execution.
fn read((row, read, steps): Joined) -> Result<(i64, Versioned<TaskExecution>), StoreError> {
    Ok((row, read.execution(steps, ("task_execution_steps", "document"))?))
}

/// The execution, if it exists.
pub(crate) fn find<E>(
    conn: &mut SqliteConnection,
    execution: TaskExecutionId,
) -> Result<Option<Versioned<TaskExecution>>, Abort<E>> {
    let query = with_steps().filter(task_executions::id.eq(id(execution)));
    let found = query.first(conn).optional()?.map(read).transpose()?;
    Ok(found.map(|(_, found)| found))
}

/// Stores new executions with this version.
pub(crate) fn insert<E>(
    conn: &mut SqliteConnection,
    executions: &[&TaskExecution],
    version: Version,
) -> Result<(), Abort<E>> {
    for execution in executions {
        let (row, new) = (next_row(conn)?, New::of(execution)?);
        insert_row(conn, row, &new, version)?;
        insert_parts(conn, row, &new, execution, None)?;
    }
    Ok(())
}

/// Replaces `old` by `new` under the next version. Writes only the differences.
pub(crate) fn replace<E>(
    conn: &mut SqliteConnection,
    old: &Versioned<TaskExecution>,
    new: &TaskExecution,
) -> Result<(), Abort<E>> {
    let Versioned { record: old, version } = old;
    let row = row_of(conn, old.id)?;
    let (old_points, new_points) = (old.point_ids(), new.point_ids());
    let new_columns = Written::of(new, &new_points);
    let changed = Changed::between(&Written::of(old, &old_points), new_columns, version.next());
    update(task_executions::table, task_executions::row.eq(row), changed).execute(conn)?;
    if old.steps != new.steps {
        let document = task_execution_steps::document.eq(PackedDocument::of(new)?);
        update(task_execution_steps::table, task_execution_steps::row.eq(row), document)
            .execute(conn)?;
    }
    links::replace(conn, row, sets(old, &old_points), sets(new, &new_points))?;
    Ok(())
}

/// Removes an execution. Returns the key of its row.
pub(crate) fn remove(conn: &mut SqliteConnection, old: &TaskExecution) -> QueryResult<Option<i64>> {
    let row = row_of(conn, old.id)?;
    links::replace(conn, row, sets(old, &old.point_ids()), Sets::EMPTY)?;
    // The foreign key removes the steps too.
    diesel::delete(task_executions::table.filter(task_executions::row.eq(row))).execute(conn)?;
    Ok(Some(row))
}

/// The key of the row of an existing execution.
fn row_of(conn: &mut SqliteConnection, execution: TaskExecutionId) -> QueryResult<i64> {
    let same = task_executions::table.filter(task_executions::id.eq(id(execution)));
    same.select(task_executions::row).first(conn)
}

/// The PENDING executions of `series` that start at `from` or later, by id.
pub(crate) fn pending<E>(
    conn: &mut SqliteConnection,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let query = with_steps().filter(is_pending(id(series), time(from))).order(task_executions::id);
    Ok(read_all(query.load(conn)?)?.into_iter().map(|(_, found)| found).collect())
}

/// The number of executions that [`assigned`] finds together.
const ASSIGNED: i64 = 64;

/// Some of the PENDING executions with this assignee, in the order of their rows, after `after`.
pub(crate) fn assigned<E>(
    conn: &mut SqliteConnection,
    user: UserId,
    after: Option<TaskExecutionId>,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let after = after.map_or(Ok(0), |after| row_of(conn, after))?;
    let rows: Vec<i64> = task_execution_assignees::table
        .inner_join(
            task_executions::table.on(task_execution_assignees::row.eq(task_executions::row)),
        )
        .filter(task_execution_assignees::value.eq(id(user)))
        .filter(task_execution_assignees::row.gt(after))
        .filter(task_executions::state.eq(State::Pending.code()))
        .order(task_execution_assignees::row)
        .limit(ASSIGNED)
        .select(task_execution_assignees::row)
        .load(conn)?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        let joined = with_steps().filter(task_executions::row.eq(row)).first(conn)?;
        found.push(read(joined)?.1);
    }
    Ok(found)
}

/// The executions of a page, and where the next one begins.
pub(crate) fn page(
    conn: &mut SqliteConnection,
    after: Place,
) -> Result<Page<TaskExecution>, Abort<StoreError>> {
    let query = with_steps()
        .filter(task_executions::row.gt(after.row()))
        .order(task_executions::row)
        .limit(ROWS);
    let found = read_all(query.load(conn)?)?;
    let next = found.last().map(|(row, last)| Place::After(*row, id(last.record.id)));
    Ok((found.into_iter().map(|(_, found)| found.record).collect(), next))
}

fn read_all(found: Vec<Joined>) -> Result<Vec<(i64, Versioned<TaskExecution>)>, StoreError> {
    found.into_iter().map(read).collect()
}

/// The columns and documents of a new execution, which are prepared without the store.
pub(crate) struct New {
    written: Written,
    document: PackedDocument,
    points: Vec<PointId>,
}

impl New {
    pub(crate) fn of(execution: &TaskExecution) -> Result<Self, StoreError> {
        let points = execution.point_ids();
        Ok(Self {
            written: Written::of(execution, &points),
            document: PackedDocument::of(execution)?,
            points,
        })
    }
}

/// The row key of the next new execution, while the transaction holds the write lock.
pub(crate) fn next_row(conn: &mut SqliteConnection) -> QueryResult<i64> {
    let last: Option<i64> =
        task_executions::table.select(dsl::max(task_executions::row)).first(conn)?;
    Ok(last.map_or(1, |last| last.saturating_add(1)))
}

/// Stores the row of a new execution with this version.
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

/// Stores the steps and sets of a new execution; `later` collects some of the pairs.
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

fn sets<'a>(execution: &'a TaskExecution, points: &'a [PointId]) -> Sets<'a> {
    Sets { assignees: &execution.assignee_ids, tags: &execution.tags, points }
}
