//! Series of executions.

use async_trait::async_trait;
use diesel::SqliteConnection;
use patrol_domain::{
    EditError,
    event::Origin,
    scheduled_task::ScheduledTask,
    series::{PlanMove, Series, Split},
    task_execution::TaskExecution,
};

use crate::{
    Store,
    change::{self, Change, Editable as _, Findable as _, Found},
    engine::Abort,
    reference,
    scheduled_task::{is_being_compared, move_rounds},
    task_execution::pending,
};

#[async_trait]
impl Series for Store {
    async fn split(&self, split: Split, by: Origin) -> Result<bool, EditError> {
        self.write(move |conn| {
            let first = change::load(conn, &split.from)?;
            let task = split.plan.as_ref().map(|plan| ScheduledTask::find(conn, plan.task.id));
            let task = task.transpose()?.flatten();
            let task_version = task.as_ref().map(|task| task.versioned.version);
            if split.is_outdated(first.versioned.version, task_version) {
                return Ok(false);
            }
            if let Some(plan) = &split.plan
                && is_being_compared(conn, plan.task.id)?
            {
                return Ok(false);
            }
            let mut found = vec![first];
            if let [first] = found.as_slice()
                && let Some(series) = first.versioned.record.series_id
            {
                let others = pending(conn, series, first.versioned.record.start_at)?;
                found.extend(
                    others.into_iter().filter(|other| other.versioned.record.id != split.from.id),
                );
            }
            let existing = reference::existing(conn, &split.references)?;
            let changed = split.changes(found, |stored| &stored.versioned.record, &existing)?;
            for (old, new) in &changed {
                TaskExecution::replace(conn, old, new)?;
            }
            let first = changed.iter().find(|(_, new)| new.id == split.from.id);
            if let Some(((plan, task), (old, new))) = split.plan.as_ref().zip(task).zip(first) {
                let new = plan.apply(&task.versioned.record, &old.versioned.record, new);
                move_plan(conn, plan, (&task, &new), &by)?;
            }
            let changes =
                changed.iter().map(|(old, new)| Change::Update(&old.versioned.record, new));
            change::record_changes(conn, &changes.collect::<Vec<_>>(), &by)?;
            Ok(true)
        })
        .await
    }
}

/// Stores the changed plan, and moves the occurrences from which executions were made.
fn move_plan(
    conn: &mut SqliteConnection,
    plan: &PlanMove,
    (old, new): (&Found<ScheduledTask>, &ScheduledTask),
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    ScheduledTask::replace(conn, old, new)?;
    // The effect of the request is the change of the executions.
    let beside = Origin { keyed: None, ..*by };
    change::record_changes(conn, &[Change::Update(&old.versioned.record, new)], &beside)?;
    Ok(move_rounds(conn, new.id, plan.from, plan.by)?)
}
