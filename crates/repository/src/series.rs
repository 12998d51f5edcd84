//! Series of executions.

use async_trait::async_trait;
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, References, Versioned,
    event::Origin,
    scheduled_task::ScheduledTask,
    series::{PlanMove, Series, Split},
    task_execution::TaskExecution,
};

use crate::{
    Dialect, Editable as _, Engine, Findable as _, Repository,
    change::{lock_at, record_changes},
    reference,
    rounds::{is_being_compared, move_rounds},
    stored::{Abort, event::RecordChange, statement::Lock},
    task_execution::lock_pending,
};

#[async_trait]
impl<S: Engine> Series for Repository<S> {
    async fn split(&self, split: Split, by: Origin) -> Result<bool, EditError> {
        let first = split.from.id.0;
        self.0
            .write(Some(first), (split, by), |conn, (at, by)| split_at(conn, at, by).boxed())
            .await
    }
}

async fn split_at(
    conn: &impl Dialect,
    split: &Split,
    by: &Origin,
) -> Result<bool, Abort<EditError>> {
    let mut existing = reference::keep(conn, &split.references).await?;
    // The task is locked before its executions, and these in order of id, as in `rounds::store`, so
    // that the two cannot deadlock.
    let task = match &split.plan {
        Some(plan) => ScheduledTask::lock(conn, plan.task.id, &References::default()).await?,
        None => None,
    };
    let found = TaskExecution::find(conn, split.from.id, Lock::None).await?;
    let found = found.ok_or(EditError::Missing)?.record;
    let (series, start_at) = (found.series_id, found.start_at);
    let others = match series {
        Some(series) => lock_pending(conn, series, start_at).await?,
        None => Vec::new(),
    };
    let first: Versioned<TaskExecution> = lock_at(conn, &split.from, &split.references).await?;
    if (first.record.series_id, first.record.start_at) != (series, start_at) {
        return Ok(false);
    }
    if split.is_outdated(first.version, task.as_ref().map(|task| task.version)) {
        return Ok(false);
    }
    if let Some(plan) = &split.plan
        && is_being_compared(conn, plan.task.id).await?
    {
        return Ok(false);
    }
    let mut found = vec![first];
    found.extend(others.into_iter().filter(|other| other.record.id != split.from.id));
    reference::complete(conn, &split.references, &mut existing).await?;
    let changed = split.changes(found, |found| &found.record, &existing)?;
    for (old, new) in &changed {
        TaskExecution::replace(conn, old, new).await?;
    }
    let first = changed.iter().find(|(_, new)| new.id == split.from.id);
    if let Some(((plan, task), (old, new))) = split.plan.as_ref().zip(task).zip(first) {
        let new = plan.apply(&task.record, &old.record, new);
        move_plan(conn, plan, (&task, &new), by).await?;
    }
    let changes = changed.iter().map(|(old, new)| RecordChange::Update(&old.record, new));
    record_changes(conn, &changes.collect::<Vec<_>>(), by).await?;
    Ok(true)
}

/// Stores the changed plan, and moves the occurrences from which executions were made.
async fn move_plan(
    conn: &impl Dialect,
    plan: &PlanMove,
    (old, new): (&Versioned<ScheduledTask>, &ScheduledTask),
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    ScheduledTask::replace(conn, old, new).await?;
    // The effect of the request is the change of the executions.
    let without_key = by.without_key();
    record_changes(conn, &[RecordChange::Update(&old.record, new)], &without_key).await?;
    Ok(move_rounds(conn, new.id, plan.from, plan.by).await?)
}
