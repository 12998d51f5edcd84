//! Series of executions.

use async_trait::async_trait;
use patrol_domain::{
    EditError, References, Versioned,
    event::Origin,
    scheduled_task::ScheduledTask,
    series::{PlanMove, Series, Split},
    task_execution::TaskExecution,
};

use crate::{
    Store,
    change::{self, Change, Editable as _, Findable as _},
    engine::{Abort, Connection},
    reference,
    scheduled_task::{is_being_compared, move_rounds},
    task_execution::lock_pending,
};

#[async_trait]
impl Series for Store {
    async fn split(&self, split: Split, by: Origin) -> Result<bool, EditError> {
        self.transaction_on(split.from.id.0, async |conn| {
            // The task first, as where executions are made: so that neither waits for the other.
            let task = match &split.plan {
                Some(plan) => lock(&conn, plan).await?,
                None => None,
            };
            let first = change::load(&conn, &split.from, &split.references).await?;
            if split.is_outdated(first.version, task.as_ref().map(|task| task.version)) {
                return Ok(false);
            }
            if let Some(plan) = &split.plan
                && is_being_compared(&conn, plan.task.id).await?
            {
                return Ok(false);
            }
            let (series, start_at) = (first.record.series_id, first.record.start_at);
            let mut found = vec![first];
            if let Some(series) = series {
                let others = lock_pending(&conn, series, start_at).await?;
                found.extend(others.into_iter().filter(|other| other.record.id != split.from.id));
            }
            let existing = reference::existing(&conn, &split.references).await?;
            let changed = split.changes(found, |stored| &stored.record, &existing)?;
            for (old, new) in &changed {
                TaskExecution::replace(&conn, old, new).await?;
            }
            let first = changed.iter().find(|(_, new)| new.id == split.from.id);
            if let Some(((plan, task), (old, new))) = split.plan.as_ref().zip(task).zip(first) {
                let new = plan.apply(&task.record, &old.record, new);
                move_plan(&conn, plan, (&task, &new), &by).await?;
            }
            let changes = changed.iter().map(|(old, new)| Change::Update(&old.record, new));
            change::record_changes(&conn, &changes.collect::<Vec<_>>(), &by).await?;
            Ok(true)
        })
        .await
    }
}

/// The task of the plan, locked.
async fn lock(
    conn: &Connection,
    plan: &PlanMove,
) -> Result<Option<Versioned<ScheduledTask>>, Abort<EditError>> {
    ScheduledTask::lock(conn, plan.task.id, &References::default()).await
}

/// Stores the changed plan, and moves the occurrences from which executions were made.
async fn move_plan(
    conn: &Connection,
    plan: &PlanMove,
    (old, new): (&Versioned<ScheduledTask>, &ScheduledTask),
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    ScheduledTask::replace(conn, old, new).await?;
    // The effect of the request is the change of the executions.
    let beside = Origin { keyed: None, ..*by };
    change::record_changes(conn, &[Change::Update(&old.record, new)], &beside).await?;
    move_rounds(conn, new.id, plan.from, plan.by).await
}
