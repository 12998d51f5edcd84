//! Rounds: the executions that are made from the occurrences of a schedule.

use std::collections::HashMap;

use super::{ScheduledTask, execution::ExecutionMaker};
use crate::{
    check_list::CheckList,
    event::{Origin, RequestId},
    schedule::{LocalDateTime, Occurrence},
    shared::{
        edit::Target,
        ids::{CheckListId, LocationId, ScheduledTaskId, TokenId, UserId},
        ports::Ids,
        timestamp::Timestamp,
        version::Versioned,
    },
    task_execution::TaskExecution,
};

/// The maximum number of executions in one batch. A batch is one transaction; on SQLite other
/// changes wait for it.
pub const ROUNDS_AT_ONCE: usize = 64;

/// A batch is full when its executions, steps and actions together reach this number, because one
/// execution with long check-lists may take many megabytes.
pub const PARTS_AT_ONCE: usize = 10_000;

/// How far the executions of a task have been made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundProgress {
    /// Executions of occurrences with this local start or a later one are not yet compared with the
    /// changed plan. There may be no occurrence at this local start. `None` when all are compared.
    pub compare_from: Option<LocalDateTime>,
    /// The search for occurrences without an execution goes on at this start. `None` when there are no
    /// more occurrences.
    pub due_at: Option<Timestamp>,
}

/// A task with due occurrences, or with executions to compare with its plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DueTask {
    /// Its id.
    pub id: ScheduledTaskId,
    /// How far its executions have been made.
    pub made: RoundProgress,
    /// The last change of the task.
    pub changed_by: ChangedBy,
}

/// The origin of the last update of a task. The events of the executions that change with it have
/// the same origin. Cleared when all executions match the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChangedBy {
    /// The user of the request; `None` for a command, for a new task, and when all executions match
    /// the plan.
    pub actor: Option<UserId>,
    /// The token of the request, if any.
    pub token: Option<TokenId>,
    /// The id of the request, if any.
    pub request: Option<RequestId>,
}

impl DueTask {
    /// The origin of the next changes of executions: that of the request that changed the plan, until
    /// all executions match it; then the service.
    #[must_use]
    pub fn origin(&self, at: Timestamp) -> Origin {
        let ChangedBy { actor, token, request } = self.changed_by;
        Origin { at, actor, token, request, keyed: None }
    }
}

/// An execution that was made from an occurrence.
#[derive(Clone, PartialEq, Debug)]
pub struct Round {
    /// The local start of the occurrence in the rule.
    pub start: LocalDateTime,
    /// The execution.
    pub execution: Versioned<TaskExecution>,
}

impl Round {
    /// The earliest possible local start of the next occurrence: one second later.
    #[must_use]
    pub fn next_start(&self) -> Option<LocalDateTime> {
        LocalDateTime::from_seconds(self.start.seconds() + 1)
    }
}

/// The next changes to the executions of a task.
pub struct RoundBatch {
    /// The task, in the version from which the changes were computed.
    pub task: Target<ScheduledTask>,
    /// How far the executions had been made when the changes were computed.
    pub before: RoundProgress,
    /// How far they have been made after these changes.
    pub after: RoundProgress,
    /// New executions, each with the local start of its occurrence.
    pub created: Vec<(LocalDateTime, TaskExecution)>,
    /// Executions that take the new content of the plan.
    pub changed: Vec<(Target<TaskExecution>, TaskExecution)>,
    /// Executions whose occurrence no longer exists.
    pub deleted: Vec<Target<TaskExecution>>,
    /// Whether all executions match the plan after this batch. Then the store clears [`ChangedBy`].
    pub is_last: bool,
}

/// How many executions a [`RoundBatch`] has created, changed and deleted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)] // named like the lists of the batch
pub struct RoundCounts {
    pub created: usize,
    pub changed: usize,
    pub deleted: usize,
}

/// How executions follow a changed plan.
#[derive(Default)]
pub struct Following {
    /// Executions that take the new content of the plan.
    pub changed: Vec<(Target<TaskExecution>, TaskExecution)>,
    /// Executions whose occurrence no longer exists.
    pub deleted: Vec<Target<TaskExecution>>,
}

/// Makes the executions of a task from its plan, and changes those that exist.
pub struct RoundMaker<'a> {
    /// The plan.
    pub task: &'a Versioned<ScheduledTask>,
    /// The check-lists of its steps, as they are now.
    pub check_lists: &'a HashMap<CheckListId, CheckList>,
    /// Executions are made of occurrences that start at this time or earlier.
    pub horizon: Timestamp,
    /// The generator of the new ids.
    pub ids: &'a dyn Ids,
}

impl RoundMaker<'_> {
    /// The next changes. `known` are the next executions to compare with the plan. Empty `known` means
    /// that all are compared; it is always empty when `made.compare_from` is `None`.
    ///
    /// Blocks the thread for up to a third of a second with a hostile rule.
    #[must_use]
    pub fn next(&self, made: RoundProgress, known: &[Round]) -> RoundBatch {
        let mut batch = RoundBatch {
            task: Target { id: self.task.record.id, expected: Some(self.task.version) },
            before: made,
            after: made,
            created: Vec::new(),
            changed: Vec::new(),
            deleted: Vec::new(),
            is_last: false,
        };
        match (made.compare_from, made.due_at) {
            (Some(_), _) => self.compare_known(&mut batch, known),
            (None, Some(due_at)) => self.create_due(&mut batch, due_at),
            (None, None) => {}
        }
        let RoundProgress { compare_from, due_at } = batch.after;
        batch.is_last = compare_from.is_none() && due_at.is_none_or(|at| at > self.horizon);
        batch
    }

    /// Compares the executions of future occurrences with the plan.
    fn compare_known(&self, batch: &mut RoundBatch, known: &[Round]) {
        batch.after.compare_from = known.last().and_then(Round::next_start);
        let starts = known.iter().map(|round| round.start);
        let schedule = self.task.record.active_schedule();
        let planned = schedule.map(|schedule| schedule.occurrences_at(starts)).unwrap_or_default();
        let following = self.follow(known, &planned);
        batch.changed = following.changed;
        batch.deleted = following.deleted;
    }

    /// Compares the executions `known` with the plan. `planned` has at least those occurrences of
    /// the plan that have the same local start as one of `known`. An execution of another series
    /// stays as it is; an execution without a series is compared.
    #[must_use]
    pub fn follow(
        &self,
        known: &[Round],
        planned: &HashMap<LocalDateTime, Occurrence>,
    ) -> Following {
        let mut following = Following::default();
        let location = self.task.record.location_id;
        for Round { start, execution } in known {
            let Versioned { record, version } = execution;
            // After a series update, the executions before it belong to the former plan.
            if record.series_id.is_some() && record.series_id != self.task.record.series_id {
                continue;
            }
            let at = Target { id: record.id, expected: Some(*version) };
            let Some((occurrence, location)) = planned.get(start).zip(location) else {
                following.deleted.push(at);
                continue;
            };
            let new = self.make_execution(occurrence, location, Some(record));
            if new != *record {
                following.changed.push((at, new));
            }
        }
        following
    }

    /// Makes the executions of the next occurrences.
    fn create_due(&self, batch: &mut RoundBatch, due_at: Timestamp) {
        batch.after.due_at = None;
        let location_id = self.task.record.location_id;
        let Some((schedule, location)) = self.task.record.active_schedule().zip(location_id) else {
            return;
        };
        let mut parts = 0;
        for occurrence in schedule.occurrences(due_at) {
            let is_full = batch.created.len() == ROUNDS_AT_ONCE || parts >= PARTS_AT_ONCE;
            if occurrence.start_at > self.horizon || is_full {
                batch.after.due_at = Some(occurrence.start_at);
                break;
            }
            let execution = self.make_execution(&occurrence, location, None);
            parts += execution.parts();
            batch.created.push((occurrence.start, execution));
        }
    }

    /// Makes the execution of an occurrence. `old` is its execution before the plan changed; the
    /// ids of `old` are kept.
    fn make_execution(
        &self,
        occurrence: &Occurrence,
        location: LocationId,
        old: Option<&TaskExecution>,
    ) -> TaskExecution {
        let Self { task, check_lists, horizon: _, ids } = self;
        let maker = ExecutionMaker { task: &task.record, check_lists, ids: *ids };
        maker.make(location, [occurrence.start_at, occurrence.end_at], old)
    }
}
