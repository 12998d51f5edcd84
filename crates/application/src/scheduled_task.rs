//! Scheduled tasks.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Edit, Ids, New, Rules, Versioned,
    ids::ScheduledTaskId,
    list::Listing,
    scheduled_task::{ScheduledTask, ScheduledTaskDraft, ScheduledTaskQuery, ScheduledTasks},
};

use crate::{
    dry_run::{self, DryRun},
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of scheduled tasks.
#[derive(Clone)]
pub struct ScheduledTaskService {
    tasks: Arc<dyn ScheduledTasks>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

/// A task as a change would make it. Nothing is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangedPlan {
    /// The task after the change, in the present version.
    pub task: Versioned<ScheduledTask>,
    /// Whether the task would differ. If not, no execution changes.
    pub is_changed: bool,
}

impl ScheduledTaskService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        tasks: Arc<dyn ScheduledTasks>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { tasks, clock, ids, rules }
    }

    /// The tasks that match the query, without their steps.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "scheduled_task.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        query: ScheduledTaskQuery,
    ) -> Result<Listing<ScheduledTask>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.tasks.list(query))
    }

    /// One task.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "scheduled_task.get", skip_all)]
    pub async fn get(
        &self,
        actor: Actor,
        id: ScheduledTaskId,
    ) -> Result<Versioned<ScheduledTask>, Failure> {
        permit(actor, Operation::Read)?;
        self.tasks.get(id).await?.ok_or(Failure::NotFound)
    }

    /// POST: creates a task. A draft without an id gets a new one.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "scheduled_task.create", skip_all)]
    pub async fn create(
        &self,
        actor: Actor,
        draft: ScheduledTaskDraft,
    ) -> Result<ScheduledTask, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.ids), self.rules);
        let id = ScheduledTaskId(self.ids.next());
        let new = New {
            references: draft.references(&rules.limits),
            make: Box::new(move |existing| draft.create(id, existing, &rules, ids.as_ref())),
        };
        Ok(self.tasks.create(new, actor.origin_at(self.clock.now())).await?)
    }

    /// PUT: replaces the content of the task. Its executions follow; see [`crate::RoundService`].
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "scheduled_task.replace", skip_all)]
    pub async fn replace(
        &self,
        actor: Actor,
        at: At<ScheduledTask>,
        draft: ScheduledTaskDraft,
    ) -> Result<Versioned<ScheduledTask>, Failure> {
        permit(actor, Operation::Plan)?;
        let edit = self.edit(at, draft, |next| next);
        Ok(self.tasks.update(edit, actor.origin_at(self.clock.now())).await?)
    }

    /// What [`Self::replace`] would do. Runs all its checks and stores nothing.
    ///
    /// # Errors
    /// Those of [`Self::replace`].
    #[tracing::instrument(target = "patrol::trace", name = "scheduled_task.dry_run", skip_all)]
    pub async fn dry_run(
        &self,
        actor: Actor,
        at: At<ScheduledTask>,
        draft: ScheduledTaskDraft,
    ) -> Result<ChangedPlan, Failure> {
        permit(actor, Operation::Plan)?;
        let dry_run = DryRun::new();
        let keep = dry_run.keep();
        let edit = self.edit(at, draft, move |next| {
            keep(next);
            None
        });
        let by = dry_run::origin(actor, self.clock.now());
        let Versioned { record, version } = self.tasks.update(edit, by).await?;
        let next = dry_run.result().flatten();
        let is_changed = next.is_some();
        let task = Versioned { record: next.unwrap_or(record), version };
        Ok(ChangedPlan { task, is_changed })
    }

    /// A change of a task. `store` gets the task after the change, if it differs, and returns what is
    /// stored.
    fn edit(
        &self,
        at: At<ScheduledTask>,
        draft: ScheduledTaskDraft,
        store: impl Fn(Option<ScheduledTask>) -> Option<ScheduledTask> + Send + Sync + 'static,
    ) -> Edit<ScheduledTask> {
        let (ids, rules) = (Arc::clone(&self.ids), self.rules);
        Edit {
            at,
            references: draft.references(&rules.limits),
            change: Box::new(move |task: &ScheduledTask, existing| {
                let next = draft.replace(task, existing, &rules, ids.as_ref())?;
                Ok(store((next != *task).then_some(next)))
            }),
        }
    }

    /// Deletes the task with its future executions that were not edited. Others keep its id.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "scheduled_task.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: At<ScheduledTask>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.tasks.delete(at, actor.origin_at(self.clock.now())).await?)
    }
}
