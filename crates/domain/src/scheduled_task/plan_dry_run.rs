//! What a change of a plan would do to the executions of its schedule.

use std::collections::{HashMap, HashSet};

use super::ScheduledTask;
use crate::{
    schedule::{LocalDateTime, Occurrence},
    shared::{ids::TaskExecutionId, timestamp::Timestamp, version::Versioned},
};

/// An occurrence from which an execution was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MadeOccurrence {
    /// Its local start in the rule.
    pub start: LocalDateTime,
    /// The execution; `None` when it was deleted.
    pub execution: Option<ExecutionTimes>,
}

/// The planned times of an execution: the new ones if the change creates or changes the
/// execution, else the present ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecutionTimes {
    /// `None` for an execution that does not exist yet.
    pub id: Option<TaskExecutionId>,
    /// The planned start.
    pub start_at: Timestamp,
    /// The planned end.
    pub end_at: Timestamp,
}

/// What a change of a plan would do to future executions of its schedule. Each list is in order of
/// the planned start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DryRunResult {
    /// New executions.
    pub created: Vec<ExecutionTimes>,
    /// Executions that would take the new content.
    pub changed: Vec<ExecutionTimes>,
    /// Executions whose occurrence would no longer exist.
    pub deleted: Vec<ExecutionTimes>,
    /// Executions that would stay as they are.
    pub kept: Vec<ExecutionTimes>,
}

/// The input of a dry run of a changed plan: the plan, and the occurrences that have executions.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanDryRun {
    /// The task with the new plan, in its present version.
    pub task: Versioned<ScheduledTask>,
    /// Whether the new plan differs from the present one.
    pub is_changed: bool,
    /// The occurrences from which executions were made, at least those that have not begun.
    pub made: Vec<MadeOccurrence>,
    /// The time of the change.
    pub now: Timestamp,
    /// Executions are made from occurrences that start at this time or earlier.
    pub horizon: Timestamp,
}

impl PlanDryRun {
    /// The occurrences of the new plan that have not begun, up to the horizon, and those from which
    /// executions were made. Blocks the thread for up to a third of a second with a hostile rule,
    /// so do not call it on a thread that answers requests.
    #[must_use]
    pub fn occurrences(&self) -> HashMap<LocalDateTime, Occurrence> {
        let Some(schedule) = self.task.record.active_schedule() else { return HashMap::new() };
        let mut found = schedule.occurrences_at(self.made.iter().map(|made| made.start));
        let next = schedule.occurrences(self.now);
        let next = next.take_while(|occurrence| occurrence.start_at <= self.horizon);
        found.extend(next.map(|occurrence| (occurrence.start, occurrence)));
        found
    }

    /// Sorts the executions into those that would be created, changed, deleted and kept. `changed`
    /// are the executions that would take the new content, with their new times, and `deleted`
    /// those that would be deleted.
    #[must_use]
    pub fn result(
        &self,
        occurrences: &HashMap<LocalDateTime, Occurrence>,
        changed: Vec<ExecutionTimes>,
        deleted: &HashSet<TaskExecutionId>,
    ) -> DryRunResult {
        let mut result = DryRunResult { changed, ..DryRunResult::default() };
        let ids: HashSet<_> = result.changed.iter().map(|round| round.id).collect();
        let future = self.made.iter().filter_map(|made| made.execution);
        for round in future.filter(|round| round.start_at > self.now && !ids.contains(&round.id)) {
            let is_deleted = round.id.is_some_and(|id| deleted.contains(&id));
            if is_deleted { &mut result.deleted } else { &mut result.kept }.push(round);
        }
        let made: HashSet<_> = self.made.iter().map(|made| made.start).collect();
        let new = occurrences.values().filter(|occurrence| {
            occurrence.start_at <= self.horizon && !made.contains(&occurrence.start)
        });
        result.created = new
            .map(|occurrence| ExecutionTimes {
                id: None,
                start_at: occurrence.start_at,
                end_at: occurrence.end_at,
            })
            .collect();
        let DryRunResult { created, changed, deleted, kept } = &mut result;
        for list in [created, changed, deleted, kept] {
            list.sort_by_key(|round| (round.start_at, round.id));
        }
        result
    }
}
