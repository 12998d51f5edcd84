//! Rounds: executions are made from schedules as their time comes.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use patrol_domain::{
    Clock, Get, Ids, Timestamp,
    check_list::CheckList,
    ids::CheckListId,
    schedule::{LocalDateTime, MAX_DURATION_MINUTES, Occurrence},
    scheduled_task::{
        DryRunResult, DueTask, ExecutionTimes, PlanDryRun, Round, RoundCounts, RoundMaker, Rounds,
        ScheduledTask,
    },
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, Operator, permit},
    record::UnstoredRecord,
};

/// Makes the executions of schedules. Any number of nodes may do it at once.
#[derive(Clone)]
pub struct RoundService {
    tasks: Arc<dyn Get<ScheduledTask>>,
    check_lists: Arc<dyn Get<CheckList>>,
    rounds: Arc<dyn Rounds>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// How long before its start an execution is made, in milliseconds.
    horizon: i64,
}

impl RoundService {
    /// Use cases that work with these ports. Executions are made `horizon` before they start.
    #[must_use]
    pub fn new(
        tasks: Arc<dyn Get<ScheduledTask>>,
        check_lists: Arc<dyn Get<CheckList>>,
        rounds: Arc<dyn Rounds>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        horizon: Duration,
    ) -> Self {
        let horizon = i64::try_from(horizon.as_millis()).unwrap_or(i64::MAX);
        Self { tasks, check_lists, rounds, clock, ids, horizon }
    }

    /// Makes the executions of all occurrences that start within the horizon, and changes those whose
    /// plan has changed. Works in batches, so that others do not wait. A task that fails does not keep
    /// the others from getting theirs; it is tried again by the next run.
    ///
    /// # Errors
    /// The first failure of the store.
    #[tracing::instrument(target = "patrol::trace", name = "round.make", skip_all)]
    pub async fn make(&self, _: Operator) -> Result<(), Failure> {
        let mut failed = None;
        loop {
            let mut is_done = true;
            for task in self.rounds.due(self.horizon(self.clock.now())).await? {
                match self.advance(task).await {
                    Ok(stored) => is_done &= !stored,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            if is_done {
                return failed.map_or(Ok(()), Err);
            }
        }
    }

    /// Stores the next changes to the executions of a task. Returns false when another node was faster,
    /// or the task has changed.
    async fn advance(&self, due: DueTask) -> Result<bool, Failure> {
        let Some(task) = self.tasks.get(due.id).await? else { return Ok(false) };
        let now = self.clock.now();
        let check_lists = self.check_lists(&task.record).await?;
        let known = match due.made.compare_from {
            Some(from) => self.rounds.following(due.id, from, now).await?,
            None => Vec::new(),
        };
        let maker = RoundMaker {
            task: &task,
            check_lists: &check_lists,
            horizon: self.horizon(now),
            ids: self.ids.as_ref(),
        };
        let batch = maker.next(due.made, &known);
        let stored = self.rounds.store(batch, due.origin(now)).await?;
        if let Some(counts) = stored
            && counts != RoundCounts::default()
        {
            let RoundCounts { created, changed, deleted } = counts;
            tracing::info!(task = %due.id, created, changed, deleted, "executions follow a schedule");
        }
        Ok(stored.is_some())
    }

    /// The time until which executions are made.
    fn horizon(&self, now: Timestamp) -> Timestamp {
        now.shifted(self.horizon).unwrap_or(now)
    }

    /// The check-lists of the steps, as they are now.
    async fn check_lists(
        &self,
        task: &ScheduledTask,
    ) -> Result<HashMap<CheckListId, CheckList>, Failure> {
        let mut check_lists = HashMap::new();
        for id in task.check_list_ids() {
            check_lists.extend(self.check_lists.get(id).await?.map(|list| (id, list.record)));
        }
        Ok(check_lists)
    }

    /// Begins a dry run of a changed plan: reads the occurrences that it may concern.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "round.plan_dry_run", skip_all)]
    pub async fn plan_dry_run(
        &self,
        actor: Actor,
        plan: UnstoredRecord<ScheduledTask>,
    ) -> Result<PlanDryRun, Failure> {
        permit(actor, Operation::Plan)?;
        let UnstoredRecord { record: task, is_changed } = plan;
        let now = self.clock.now();
        let longest = MAX_DURATION_MINUTES * 60_000;
        let from = LocalDateTime::before(now.shifted(-longest).unwrap_or(now));
        let made = self.rounds.made(task.record.id, from).await?;
        Ok(PlanDryRun { task, is_changed, made, now, horizon: self.horizon(now) })
    }

    /// What the changed plan would do to the executions; `occurrences` are those of `plan_dry_run`.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "round.dry_run", skip_all)]
    pub async fn dry_run(
        &self,
        actor: Actor,
        plan_dry_run: &PlanDryRun,
        occurrences: &HashMap<LocalDateTime, Occurrence>,
    ) -> Result<DryRunResult, Failure> {
        permit(actor, Operation::Plan)?;
        let PlanDryRun { task, is_changed, made: _, now, horizon } = plan_dry_run;
        let check_lists = self.check_lists(&task.record).await?;
        let maker = RoundMaker {
            task,
            check_lists: &check_lists,
            horizon: *horizon,
            ids: self.ids.as_ref(),
        };
        let (mut changed, mut deleted) = (Vec::new(), HashSet::new());
        let is_compared = *is_changed && task.record.enabled;
        let mut from = is_compared.then(|| LocalDateTime::before(*now));
        while let Some(start) = from {
            let known = self.rounds.following(task.record.id, start, *now).await?;
            let following = maker.follow(&known, occurrences);
            changed.extend(following.changed.into_iter().map(|(at, new)| ExecutionTimes {
                id: Some(at.id),
                start_at: new.start_at,
                end_at: new.end_at,
            }));
            deleted.extend(following.deleted.into_iter().map(|at| at.id));
            from = known.last().and_then(Round::next_start);
        }
        Ok(plan_dry_run.result(occurrences, changed, &deleted))
    }
}
