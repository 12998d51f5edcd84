//! Task executions. Their rows and documents are stored by each database in its own form.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, Existing, Known, Resource, StoreError, Timestamp, Version, Versioned, all_known,
    event::Origin,
    ids::{SeriesId, TaskExecutionId},
    task_execution::{Copies, TaskExecution, TaskExecutions},
};

use crate::{
    Creatable, Dialect, Editable, Engine, Entity, Findable, Removable, Repository,
    change::record_changes,
    reference::{exists, records},
    stored::{
        Abort,
        event::RecordChange,
        scheduled_task::rounds::forget_executions,
        schema::task_executions,
        sql::{id, time},
        statement::{Lock, locked, with_lock},
        task_execution::{STEPS, Stored, all_columns, is_pending},
    },
};

#[async_trait]
impl<S: Engine> TaskExecutions for Repository<S> {
    async fn copy(&self, copies: Copies, by: Origin) -> Result<Known<TaskExecution>, EditError> {
        self.0.write(None, (copies, by), |conn, (copies, by)| copy(conn, copies, by).boxed()).await
    }
}

async fn copy(
    conn: &impl Dialect,
    copies: &Copies,
    by: &Origin,
) -> Result<Known<TaskExecution>, Abort<EditError>> {
    if !exists(conn, copies.must_exist.into()).await? {
        return Err(EditError::Missing.into());
    }
    let named: Vec<_> = copies.ids.iter().map(|id| id.0).collect();
    let found = records(conn, Resource::TaskExecution, &named, false).await?;
    let known: Existing = found.into_iter().collect();
    if let Err(unknown) = all_known(copies.ids.iter().map(|id| known.has(*id).then_some(()))) {
        return Ok(Err(unknown));
    }
    let (mut answer, mut kept) = (None, HashSet::new());
    for id in &copies.ids {
        let found = loop {
            let Some(found) = TaskExecution::find(conn, *id, Lock::None).await? else {
                return Err(EditError::Missing.into());
            };
            let assignees = found.record.assignee_ids.iter().map(|user| user.0);
            let new: Vec<_> = assignees.filter(|user| !kept.contains(user)).collect();
            if new.is_empty() {
                break found;
            }
            // Waits for the removal of an assignee. Then the execution is read again, without the user.
            records(conn, Resource::User, &new, true).await?;
            kept.extend(new);
        };
        let new = (copies.make)(&found.record);
        conn.insert_executions(&[&new], Version::FIRST).await?;
        record_changes(conn, &[RecordChange::Create(&new)], &copies.origin(*id, *by)).await?;
        if *id == copies.returned {
            answer = Some(new);
        }
    }
    answer.map(Ok).ok_or(EditError::Missing.into())
}

impl Entity for TaskExecution {}

impl Findable for TaskExecution {
    async fn find<C: Dialect, E: Send>(
        conn: &C,
        execution: TaskExecutionId,
        lock: Lock,
    ) -> Result<Option<Versioned<Self>>, Abort<E>> {
        let same = task_executions::table.filter(task_executions::id.eq(id(execution)));
        let found = conn.first(with_lock(same.select(all_columns()), lock)).await?;
        Ok(found.map(read::<C>).transpose()?)
    }
}

/// The execution in a row.
pub(crate) fn read<C: Dialect>(
    (read, steps): Stored,
) -> Result<Versioned<TaskExecution>, StoreError> {
    let (table, column) = STEPS;
    read.execution(steps, (C::text(table), C::text(column)))
}

/// The PENDING executions of a series that start at `from` or later, by id, locked.
pub(crate) async fn lock_pending<C: Dialect, E: Send>(
    conn: &C,
    series: SeriesId,
    from: Timestamp,
) -> Result<Vec<Versioned<TaskExecution>>, Abort<E>> {
    let pending = task_executions::table
        .filter(is_pending(id(series), time(from)))
        .order(task_executions::id)
        .select(all_columns());
    let found: Vec<Stored> = conn.load(locked(pending)).await?;
    Ok(found.into_iter().map(read::<C>).collect::<Result<_, _>>()?)
}

impl Creatable for TaskExecution {
    async fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> Result<(), Abort<E>> {
        let named: Vec<_> = new.iter().map(|execution| execution.id).collect();
        conn.execute(forget_executions(&named)).await?;
        conn.insert_executions(new, Version::of_new(at)).await
    }
}

impl Editable for TaskExecution {
    async fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> Result<(), Abort<EditError>> {
        conn.replace_execution(old, new).await
    }
}

impl Removable for TaskExecution {
    async fn remove<C: Dialect>(conn: &C, old: &Self) -> QueryResult<Option<i64>> {
        conn.raise_revision(Resource::Report, 1).await?;
        conn.remove_execution(old).await
    }
}
