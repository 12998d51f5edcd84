//! The statements that read and write executions. Each has a fixed form, so that it stays prepared.

use diesel::{
    dsl::{self, AsSelect},
    prelude::*,
    sqlite::Sqlite,
};
use patrol_domain::{
    StoreError, Timestamp, Version,
    ids::{PointId, SeriesId, TaskExecutionId},
    task_execution::TaskExecution,
};
use patrol_stored::{
    scheduled_task::rounds::is_left_out,
    schema::{scheduled_task_occurrences, task_execution_steps, task_executions},
    sql::{PackedDocument, StoredSteps, id, time},
    task_execution::{Changed, Read, Written, is_pending},
};

use super::links::{self, Later, Sets};
use crate::{
    change::{Creatable, Editable, Entity, Findable, Found, Removable},
    engine::Abort,
    revision::Aggregate,
    statement,
};

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

fn read((row, read, steps): Joined) -> Result<Found<TaskExecution>, StoreError> {
    let versioned = read.execution(steps, ("task_execution_steps", "document"))?;
    Ok(Found { row, versioned })
}

impl Entity for TaskExecution {
    const AGGREGATE: Aggregate = Aggregate::TaskExecution;
}

impl Findable for TaskExecution {
    fn find<E>(
        conn: &mut SqliteConnection,
        execution: TaskExecutionId,
    ) -> Result<Option<Found<Self>>, Abort<E>> {
        let query = with_steps().filter(task_executions::id.eq(id(execution)));
        Ok(query.first(conn).optional()?.map(read).transpose()?)
    }
}

impl Creatable for TaskExecution {
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>> {
        // The id may be that of a deleted execution which was made from an occurrence.
        let same = scheduled_task_occurrences::execution_id.eq(id(new.id));
        diesel::update(scheduled_task_occurrences::table.filter(same))
            .set(is_left_out())
            .execute(conn)?;
        let (row, parts) = (next_row(conn)?, New::of(new)?);
        insert_row(conn, row, &parts, Version::of_new(at))?;
        insert_parts(conn, row, &parts, new, None)
    }
}

impl Editable for TaskExecution {
    /// Writes only the differences.
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>> {
        let Found { row, versioned } = old;
        let (old, version) = (&versioned.record, versioned.version.next());
        let (old_points, new_points) = (old.point_ids(), new.point_ids());
        let new_columns = Written::of(new, &new_points);
        let changed = Changed::between(&Written::of(old, &old_points), new_columns, version);
        let same = task_executions::row.eq(*row);
        statement::update(task_executions::table, same, changed).execute(conn)?;
        if old.steps != new.steps {
            let same = task_execution_steps::row.eq(*row);
            let document = task_execution_steps::document.eq(PackedDocument::of(new)?);
            statement::update(task_execution_steps::table, same, document).execute(conn)?;
        }
        links::replace(conn, *row, sets(old, &old_points), sets(new, &new_points))?;
        Ok(())
    }
}

impl Removable for TaskExecution {
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>> {
        let Found { row, versioned } = old;
        links::replace(
            conn,
            *row,
            sets(&versioned.record, &versioned.record.point_ids()),
            Sets::EMPTY,
        )?;
        // The foreign key removes the steps too.
        diesel::delete(task_executions::table.filter(task_executions::row.eq(*row)))
            .execute(conn)?;
        Ok(())
    }
}

/// The execution in this row.
pub(crate) fn by_row<E>(
    conn: &mut SqliteConnection,
    row: i64,
) -> Result<Option<Found<TaskExecution>>, Abort<E>> {
    let query = with_steps().filter(task_executions::row.eq(row));
    Ok(query.first(conn).optional()?.map(read).transpose()?)
}

/// The PENDING executions of `series` that start at `from` or later, by id.
pub(crate) fn pending<E>(
    conn: &mut SqliteConnection,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Found<TaskExecution>>, Abort<E>> {
    let query = with_steps().filter(is_pending(id(series), time(from))).order(task_executions::id);
    read_all(query.load(conn)?)
}

/// At most `limit` executions with a row key above `after`, in that order, each with its key.
pub(crate) fn page<E>(
    conn: &mut SqliteConnection,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, TaskExecution)>, Abort<E>> {
    let query = with_steps()
        .filter(task_executions::row.gt(after))
        .order(task_executions::row)
        .limit(limit);
    let found = read_all(query.load(conn)?)?;
    Ok(found.into_iter().map(|stored| (stored.row, stored.versioned.record)).collect())
}

fn read_all<E>(found: Vec<Joined>) -> Result<Vec<Found<TaskExecution>>, Abort<E>> {
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
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
