//! The statements that read and write executions.

use diesel::{
    dsl::{self, AsSelect, Select},
    pg::Pg,
    prelude::*,
    sql_types::Bool,
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named as _, StoreError, Timestamp, Version, Versioned,
    ids::{SeriesId, TaskExecutionId, UserId, Uuid},
    task_execution::{State, TaskExecution},
};
use patrol_repository::data_set::Page;
use patrol_stored::{
    page,
    page::Place,
    schema::task_executions,
    sql::{Document, StoredId, StoredSteps, id, time, types},
    statement::{Lock, with_lock},
    task_execution::{Read, Written, is_pending},
};

use crate::engine::{Abort, Connection, Copied};

/// The columns of an execution.
type Columns = (AsSelect<Read, Pg>, task_executions::steps);

/// Executions with their steps.
fn query() -> Select<task_executions::table, Columns> {
    task_executions::table.select((Read::as_select(), task_executions::steps))
}

/// The execution in a row.
fn read((read, steps): (Read, StoredSteps)) -> Result<Versioned<TaskExecution>, StoreError> {
    read.execution(Some(steps), ("task_executions", "steps"))
}

/// The execution, if it exists.
pub(crate) async fn find<E>(
    mut conn: &Connection,
    execution: TaskExecutionId,
    lock: Lock,
) -> Result<Option<Versioned<TaskExecution>>, Abort<E>> {
    let query = query().filter(task_executions::id.eq(id(execution)));
    let found = with_lock(query, lock).get_result(&mut conn).await.optional()?;
    Ok(found.map(read).transpose()?)
}

/// Replaces `old` by `new` under the next version. An unchanged document is not written again, because
/// it is most of the row.
pub(crate) async fn replace<E>(
    mut conn: &Connection,
    old: &Versioned<TaskExecution>,
    new: &TaskExecution,
) -> Result<(), Abort<E>> {
    let is_same = old.record.steps == new.steps;
    let steps = if is_same { None } else { Some(task_executions::steps.eq(Document::of(new)?)) };
    let version = task_executions::version.eq(old.version.next().0);
    diesel::update(task_executions::table.find(id(new.id)))
        .set((Written::of(new, &new.point_ids()), version, steps))
        .execute(&mut conn)
        .await?;
    Ok(())
}

/// Removes an execution. Returns the key of its row.
pub(crate) async fn remove(
    mut conn: &Connection,
    execution: TaskExecutionId,
) -> QueryResult<Option<i64>> {
    let removed = diesel::delete(task_executions::table.find(id(execution)));
    removed.returning(task_executions::row).get_result(&mut conn).await.optional()
}

/// The PENDING executions of `series` that start at `from` or later, by id, locked until the end of
/// the transaction.
pub(crate) async fn lock_pending<E>(
    mut conn: &Connection,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let found = query()
        .filter(is_pending(id(series), time(from)))
        .order(task_executions::id)
        .for_update()
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// How many executions [`lock_assigned`] returns at once.
const ASSIGNED: i64 = 64;

/// The next PENDING executions with this assignee, in order of id, locked until the end of the
/// transaction.
pub(crate) async fn lock_assigned<E>(
    mut conn: &Connection,
    user: UserId,
    after: Option<TaskExecutionId>,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let is_assigned =
        dsl::sql::<Bool>("assignee_ids @> ARRAY[").bind::<types::Id, _>(id(user)).sql("]");
    let after = after.map_or(Uuid::nil(), |id| id.0);
    let found = query()
        .filter(task_executions::state.eq(State::Pending.code()))
        .filter(is_assigned)
        .filter(task_executions::id.gt(id(after)))
        .order(task_executions::id)
        .limit(ASSIGNED)
        .for_update()
        .load(&mut conn)
        .await?;
    Ok(found.into_iter().map(read).collect::<Result<_, _>>()?)
}

/// The executions of a page, and where the next one begins.
pub(crate) async fn page(
    mut conn: &Connection,
    after: Place,
) -> Result<Page<TaskExecution>, Abort<StoreError>> {
    let columns = (Read::as_select(), task_executions::steps);
    let query = page!(task_executions, columns, after);
    let rows: Vec<(i64, StoredId, (Read, StoredSteps))> = query.load(&mut conn).await?;
    let next = rows.last().map(|(row, id, _)| Place::after(*row, *id));
    let read = |(_, _, stored)| Ok(read(stored)?.record);
    Ok((rows.into_iter().map(read).collect::<Result<_, StoreError>>()?, next))
}

/// How many executions are serialised at once.
const AT_ONCE: usize = 32;

/// Stores new executions with this version.
pub(crate) async fn insert<E>(
    conn: &Connection,
    executions: &[&TaskExecution],
    version: Version,
) -> Result<(), Abort<E>> {
    let rows = executions.chunks(AT_ONCE).map(move |executions| {
        let mut written = Vec::with_capacity(executions.len());
        for execution in executions {
            let version = task_executions::version.eq(version.0);
            let steps = task_executions::steps.eq(Document::of(execution)?);
            written.push((Written::of(execution, &execution.point_ids()), version, steps));
        }
        Ok(Copied::of(&diesel::insert_into(task_executions::table).values(written))?)
    });
    conn.copy(Box::new(rows)).await
}
