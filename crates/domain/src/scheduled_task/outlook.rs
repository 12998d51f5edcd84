//! What a change of a plan would do to the executions of its schedule.

use std::collections::{HashMap, HashSet};

use super::ScheduledTask;
use crate::{
    schedule::{LocalDateTime, Occurrence},
    shared::{ids::TaskExecutionId, timestamp::Timestamp, version::Versioned},
};

/// An occurrence from which an execution was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MadeRound {
    /// Its local start in the rule.
    pub start: LocalDateTime,
    /// The execution; `None` when it was deleted.
    pub execution: Option<ForeseenRound>,
}

/// An execution as it would be after the change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeseenRound {
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
pub struct Foreseen {
    /// New executions.
    pub created: Vec<ForeseenRound>,
    /// Executions that would take the new content.
    pub changed: Vec<ForeseenRound>,
    /// Executions whose occurrence would no longer exist.
    pub deleted: Vec<ForeseenRound>,
    /// Executions that would stay as they are.
    pub kept: Vec<ForeseenRound>,
}

/// A changed plan, and the executions that exist.
#[derive(Clone, PartialEq, Debug)]
pub struct Outlook {
    /// The task with the new plan, in its present version.
    pub task: Versioned<ScheduledTask>,
    /// Whether the new plan differs from the present one.
    pub is_changed: bool,
    /// The occurrences from which executions were made, at least those that have not ended.
    pub made: Vec<MadeRound>,
    /// The time of the change.
    pub now: Timestamp,
    /// Executions would be made of occurrences that start at this time or earlier.
    pub horizon: Timestamp,
}

impl Outlook {
    /// The occurrences of the new plan that have not ended, up to the horizon, and those from which
    /// executions were made. Blocks the thread for up to a third of a second with a hostile rule,
    /// so do not call it on a thread that answers requests.
    #[must_use]
    pub fn occurrences(&self) -> HashMap<LocalDateTime, Occurrence> {
        let Some(schedule) = self.task.record.active_schedule() else { return HashMap::new() };
        let mut found = schedule.occurrences_at(self.made.iter().map(|made| made.start));
        let duration = i64::from(schedule.duration_minutes) * 60_000;
        let Some(from) = self.now.shifted(1 - duration) else { return found };
        let next = schedule.occurrences(from);
        let next = next.take_while(|occurrence| occurrence.start_at <= self.horizon);
        found.extend(next.map(|occurrence| (occurrence.start, occurrence)));
        found
    }

    /// Sorts the executions into those that would be created, changed, deleted and kept. `changed`
    /// are the executions that would take the new content, with their new times, and `deleted`
    /// those that would be deleted.
    #[must_use]
    pub fn foresee(
        &self,
        occurrences: &HashMap<LocalDateTime, Occurrence>,
        changed: Vec<ForeseenRound>,
        deleted: &HashSet<TaskExecutionId>,
    ) -> Foreseen {
        let mut foreseen = Foreseen { changed, ..Foreseen::default() };
        let ids: HashSet<_> = foreseen.changed.iter().map(|round| round.id).collect();
        let future = self.made.iter().filter_map(|made| made.execution);
        for round in future.filter(|round| round.start_at > self.now && !ids.contains(&round.id)) {
            let is_deleted = round.id.is_some_and(|id| deleted.contains(&id));
            if is_deleted { &mut foreseen.deleted } else { &mut foreseen.kept }.push(round);
        }
        let made: HashSet<_> = self.made.iter().map(|made| made.start).collect();
        let new = occurrences.values().filter(|occurrence| {
            occurrence.start_at <= self.horizon && !made.contains(&occurrence.start)
        });
        foreseen.created = new
            .map(|occurrence| ForeseenRound {
                id: None,
                start_at: occurrence.start_at,
                end_at: occurrence.end_at,
            })
            .collect();
        let Foreseen { created, changed, deleted, kept } = &mut foreseen;
        for list in [created, changed, deleted, kept] {
            list.sort_by_key(|round| (round.start_at, round.id));
        }
        foreseen
    }
}
