//! Task executions.

use std::{collections::HashSet, sync::Arc};

use patrol_domain::{
    Edit, Faults, New, Path, Refusal, Rule, Target, Timestamp, Version, Versioned,
    ids::TaskExecutionId,
    list::Listing,
    task_execution::{
        ContentDraft, Copies, CopyOptions, ExecutionDraft, ExecutionPatch, ExecutionQuery,
        ExecutionSummary, TaskExecution, TaskExecutions,
    },
};

use crate::{
    context::Context,
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of executions.
#[derive(Clone)]
pub struct TaskExecutionService {
    executions: Arc<dyn TaskExecutions>,
    context: Context,
}

/// The body of a copy: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CopyDraft {
    /// The executions to copy; `None` when the member is missing, which is a fault.
    pub task_ids: Option<Vec<TaskExecutionId>>,
    /// Whether the copies are published.
    pub published: bool,
}

/// The maximum number of executions that one request copies.
pub const MAX_COPIES: usize = 1000;

impl TaskExecutionService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(executions: Arc<dyn TaskExecutions>, context: Context) -> Self {
        Self { executions, context }
    }

    /// One execution.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.get", skip_all)]
    pub async fn get(
        &self,
        actor: Actor,
        id: TaskExecutionId,
    ) -> Result<Versioned<TaskExecution>, Failure> {
        permit(actor, Operation::Read)?;
        self.executions.get(id).await?.ok_or(Failure::NotFound)
    }

    /// The executions that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        query: ExecutionQuery,
    ) -> Result<Listing<ExecutionSummary>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.executions.list(query))
    }

    /// POST: makes an execution by hand, with a scheduled task or without one. A draft without an id
    /// gets a new one.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.create", skip_all)]
    pub async fn create(
        &self,
        actor: Actor,
        draft: ExecutionDraft,
    ) -> Result<Versioned<TaskExecution>, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        let (id, now) = (TaskExecutionId(self.context.new_id()), self.context.now());
        let new = New {
            references: draft.references(&rules.limits),
            make: Box::new(move |existing| draft.create(id, existing, &rules, ids.as_ref())),
        };
        let record = self.executions.create(new, actor.origin_at(now)).await?;
        Ok(Versioned { record, version: Version::of_new(now) })
    }

    /// PUT: replaces the content of the execution.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.replace", skip_all)]
    pub async fn replace(
        &self,
        actor: Actor,
        at: Target<TaskExecution>,
        draft: ContentDraft,
    ) -> Result<Versioned<TaskExecution>, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        let edit = Edit {
            at,
            references: draft.references(&rules.limits),
            change: Box::new(move |execution: &TaskExecution, existing| {
                execution.with_content(&draft, existing, &rules, ids.as_ref()).map(Some)
            }),
        };
        Ok(self.executions.update(edit, self.context.origin(actor)).await?)
    }

    /// PATCH: changes some members of the execution.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.patch", skip_all)]
    pub async fn patch(
        &self,
        actor: Actor,
        at: Target<TaskExecution>,
        patch: ExecutionPatch,
    ) -> Result<Versioned<TaskExecution>, Failure> {
        permit(actor, Operation::Plan)?;
        let rules = self.context.rules;
        let edit = Edit {
            at,
            references: patch.references(&rules.limits),
            change: Box::new(move |execution: &TaskExecution, existing| {
                patch.apply(execution, existing, &rules)
            }),
        };
        Ok(self.executions.update(edit, self.context.origin(actor)).await?)
    }

    /// Deletes the execution permanently, in any state.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: Target<TaskExecution>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.executions.delete(at, self.context.origin(actor)).await?)
    }

    /// Copies all executions in the body or none. Returns the copy of the execution `path` if it is in
    /// the body, else the copy of the first execution in the body.
    ///
    /// # Errors
    /// `Denied`, `NotFound` when the execution `path` does not exist, `Unknown` when an execution in
    /// the body does not exist, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.copy", skip_all)]
    pub async fn copy(
        &self,
        actor: Actor,
        path: TaskExecutionId,
        draft: CopyDraft,
    ) -> Result<TaskExecution, Failure> {
        permit(actor, Operation::Plan)?;
        // A missing execution in the path is reported before faults of the body.
        let Some(task_ids) = draft.task_ids else {
            self.get(actor, path).await?;
            return Err(Failure::fault(&Path::Root.field("taskIds"), Rule::NotNull));
        };
        if let Err(refusal) = check_task_ids(&task_ids) {
            self.get(actor, path).await?;
            return Err(refusal.into());
        }
        let in_body = task_ids.contains(&path);
        let returned = if in_body { path } else { *task_ids.first().unwrap_or(&path) };
        let (ids, published) = (Arc::clone(&self.context.ids), draft.published);
        let make = Box::new(move |original: &TaskExecution| {
            original.copy(CopyOptions { published, ids: ids.as_ref() })
        });
        let by = self.context.origin(actor);
        let copied = self
            .executions
            .copy(Copies { must_exist: path, ids: task_ids, returned, make }, by)
            .await?;
        copied.map_err(|unknown| {
            let paths =
                unknown.into_iter().map(|at| Path::Root.field("taskIds").index(at).to_string());
            Failure::Unknown(paths.collect())
        })
    }

    /// Copies an execution to another start, with the same duration. The copy is published if the
    /// original is.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused` without a start and when the copy would end after the year 9999,
    /// `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "task_execution.copy_to", skip_all)]
    pub async fn copy_to(
        &self,
        actor: Actor,
        id: TaskExecutionId,
        start_at: Option<Timestamp>,
    ) -> Result<TaskExecution, Failure> {
        permit(actor, Operation::Plan)?;
        let original = self.get(actor, id).await?.record;
        let fault = |rule| Failure::fault(&Path::Root.field("startAt"), rule);
        let start_at = start_at.ok_or_else(|| fault(Rule::NotNull))?;
        let duration = original.end_at.since(original.start_at);
        let end_at = start_at.shifted(duration).ok_or_else(|| fault(Rule::Period))?;
        let ids = Arc::clone(&self.context.ids);
        let make = Box::new(move |original: &TaskExecution| {
            let options = CopyOptions { published: original.published, ids: ids.as_ref() };
            TaskExecution { start_at, end_at, ..original.copy(options) }
        });
        let copies = Copies { must_exist: id, ids: vec![id], returned: id, make };
        let copied = self.executions.copy(copies, self.context.origin(actor)).await?;
        copied.map_err(|_| Failure::NotFound)
    }
}

/// Checks that there are 1 to 1,000 ids without duplicates.
fn check_task_ids(task_ids: &[TaskExecutionId]) -> Result<(), Refusal> {
    let path = Path::Root.field("taskIds");
    let mut faults = Faults::new();
    if task_ids.is_empty() || task_ids.len() > MAX_COPIES {
        faults.push(&path, Rule::Length { min: 1, max: MAX_COPIES });
    }
    let mut seen = HashSet::new();
    for (at, id) in task_ids.iter().enumerate() {
        if !seen.insert(id) {
            faults.push(&path.index(at), Rule::Unique);
        }
    }
    faults.into_result(())
}
