//! Series of executions.

use std::sync::Arc;

use patrol_domain::{
    Get, Target,
    ids::{SeriesId, TaskExecutionId},
    scheduled_task::{DryRunResult, ExecutionTimes, Rounds, ScheduledTask},
    series::{NewSeries, PlanMove, PlannedSeries, Series, SeriesDraft, Split, SplitChange},
    task_execution::{TaskExecution, TaskExecutions},
};

use crate::{
    context::Context,
    dry_run::{self, DryRun},
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of series.
#[derive(Clone)]
pub struct SeriesService {
    ports: SeriesPorts,
    context: Context,
}

/// The result of a series update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitSeries {
    /// The old series. The executions before the change stay in it.
    pub updating: SeriesId,
    /// The new series. It contains the changed executions.
    pub created: SeriesId,
}

/// The ports of [`SeriesService`].
#[derive(Clone)]
pub struct SeriesPorts {
    /// The series to update.
    pub series: Arc<dyn Series>,
    /// Their executions.
    pub executions: Arc<dyn TaskExecutions>,
    /// The plans that change with them.
    pub tasks: Arc<dyn Get<ScheduledTask>>,
    /// The executions that are made from the plans.
    pub rounds: Arc<dyn Rounds>,
}

impl SeriesService {
    /// Use cases that work with these ports.
    #[must_use]
    pub const fn new(ports: SeriesPorts, context: Context) -> Self {
        Self { ports, context }
    }

    /// The plan that an update of a series from the execution `from` on changes too. `None` when the
    /// schedule of its task makes executions of another series now, or there is none.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "series.plan", skip_all)]
    pub async fn plan(
        &self,
        actor: Actor,
        from: TaskExecutionId,
        draft: &SeriesDraft,
    ) -> Result<Option<PlannedSeries>, Failure> {
        permit(actor, Operation::Plan)?;
        let Some(execution) = self.ports.executions.get(from).await? else { return Ok(None) };
        let Some(task) = execution.record.scheduled_task_id else { return Ok(None) };
        let Some(task) = self.ports.tasks.get(task).await? else { return Ok(None) };
        let occurrence = self.ports.rounds.occurrence(from).await?;
        Ok(PlannedSeries::of(task, execution, occurrence, draft))
    }

    /// Splits a series: gives new content and a new series id to the execution `from` and the later
    /// PENDING executions of its series. `plan` is how [`Self::plan`] moves. Returns `None` and stores
    /// nothing when the plan has changed since.
    ///
    /// # Errors
    /// `Denied`, `NotFound` when `from` does not exist, `Stale` when it has another version than
    /// the expected one, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "series.split", skip_all)]
    pub async fn split(
        &self,
        actor: Actor,
        from: Target<TaskExecution>,
        draft: Arc<SeriesDraft>,
        plan: Option<PlanMove>,
    ) -> Result<Option<SplitSeries>, Failure> {
        permit(actor, Operation::Plan)?;
        let created = SeriesId(self.context.new_id());
        let updating = draft.series_id;
        let split = self.change(from, draft, (created, plan), |changed| changed);
        let is_stored = self.ports.series.split(split, self.context.origin(actor)).await?;
        let split = updating.filter(|_| is_stored);
        Ok(split.map(|updating| SplitSeries { updating, created }))
    }

    /// What [`Self::split`] would do to executions. Runs all its checks and stores nothing.
    ///
    /// # Errors
    /// Those of [`Self::split`].
    #[tracing::instrument(target = "patrol::trace", name = "series.dry_run", skip_all)]
    pub async fn dry_run(
        &self,
        actor: Actor,
        from: Target<TaskExecution>,
        draft: Arc<SeriesDraft>,
        plan: Option<PlanMove>,
    ) -> Result<Option<DryRunResult>, Failure> {
        permit(actor, Operation::Plan)?;
        let dry_run = DryRun::new();
        let keep = dry_run.keep();
        let created = SeriesId(self.context.new_id());
        let split = self.change(from, draft, (created, plan), move |changed| {
            keep(changed);
            Vec::new()
        });
        let by = dry_run::origin(actor, self.context.now());
        if !self.ports.series.split(split, by).await? {
            return Ok(None);
        }
        let round = |execution: &TaskExecution| ExecutionTimes {
            id: Some(execution.id),
            start_at: execution.start_at,
            end_at: execution.end_at,
        };
        let mut changed: Vec<_> = dry_run.result().iter().flatten().map(round).collect();
        changed.sort_by_key(|round| (round.start_at, round.id));
        Ok(Some(DryRunResult { changed, ..DryRunResult::default() }))
    }

    /// A split. `store` gets the executions after the change, and returns what is stored.
    fn change(
        &self,
        from: Target<TaskExecution>,
        draft: Arc<SeriesDraft>,
        (id, plan): (SeriesId, Option<PlanMove>),
        store: impl Fn(Vec<TaskExecution>) -> Vec<TaskExecution> + Send + Sync + 'static,
    ) -> Split {
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        let references = draft.references(&rules.limits);
        let fault = plan.as_ref().and_then(|plan| plan.schedule.as_ref().err().cloned());
        let change: SplitChange = Box::new(move |from, following, existing| {
            let created = NewSeries { id, fault: fault.as_ref() };
            Ok(store(draft.split(from, following, created, existing, &rules, ids.as_ref())?))
        });
        Split { from, references, change, plan }
    }
}
