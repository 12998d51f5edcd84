//! The entries of a request, applied to a round one after another.

use std::collections::HashMap;

use super::{
    Entry, EntryOutcome, EntryType, RefusalCode, Report,
    verdict::{LastAccepted, PresenceRadius, verdicts},
};
use crate::{
    event::Origin,
    point::Point,
    shared::{
        ids::{PointId, ReportId, UserId},
        timestamp::Timestamp,
    },
    task_execution::{Action, ActionType, Outcome, Progress, State, Step, TaskExecution},
};

/// A round while entries are applied, with what the store knows of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Round {
    /// The round.
    pub execution: TaskExecution,
    /// The points of the steps that are scanned, as far as they still exist.
    pub points: HashMap<PointId, Point>,
    /// The stored entries with an id of the request, of any round.
    pub known: HashMap<ReportId, Report>,
    /// The entries that were accepted last.
    pub last: LastAccepted,
}

/// The answer to one entry.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Stored, with this outcome.
    Stored(Report),
    /// Accepted before; nothing happened. Contains the stored entry.
    Duplicate(Report),
    /// The id is that of another entry; nothing is stored.
    Conflict(ReportId),
}

impl Answer {
    /// The entry, if this request made it take effect.
    #[must_use]
    pub fn newly_accepted(&self) -> Option<&Report> {
        match self {
            Self::Stored(report) => Some(report).filter(|report| report.is_accepted()),
            Self::Duplicate(_) | Self::Conflict(_) => None,
        }
    }
}

/// The result of a request.
#[derive(Clone, PartialEq, Debug)]
pub struct Performed {
    /// The round after all entries.
    pub execution: TaskExecution,
    /// One answer an entry, in the order sent.
    pub answers: Vec<Answer>,
}

impl Round {
    /// Applies the entries in the order sent.
    #[must_use]
    pub fn perform(mut self, entries: &[Entry], radius: PresenceRadius, by: &Origin) -> Performed {
        let answers = entries.iter().map(|entry| self.answer(entry, radius, by)).collect();
        Performed { execution: self.execution, answers }
    }

    fn answer(&mut self, entry: &Entry, radius: PresenceRadius, by: &Origin) -> Answer {
        let known = self.known.get(&entry.id);
        let first = known.map(|known| (known.user_id, known.received_at));
        let (user_id, received_at) = first.unwrap_or((by.actor, by.at));
        let entry = entry.clone().sent_by(user_id);
        match known {
            Some(known) if known.execution_id != self.execution.id || known.entry != entry => {
                return Answer::Conflict(entry.id);
            }
            Some(known) if known.is_accepted() => return Answer::Duplicate(known.clone()),
            _ => {}
        }
        let outcome = match self.refusal(&entry) {
            Some(code) => EntryOutcome::Refused(code),
            None => self.accept(&entry, radius, received_at),
        };
        let execution_id = self.execution.id;
        let report = Report { execution_id, entry, user_id, received_at, outcome };
        self.known.insert(report.entry.id, report.clone());
        Answer::Stored(report)
    }

    /// Why the entry has no effect: state, then reference, then value.
    fn refusal(&self, entry: &Entry) -> Option<RefusalCode> {
        let state = self.execution.progress.state();
        let is_allowed = match entry.kind {
            EntryType::Note => true,
            EntryType::Start => state == State::Pending,
            EntryType::Scan | EntryType::Result | EntryType::FinishStep | EntryType::Complete => {
                state == State::InProgress
            }
        };
        if !is_allowed {
            return Some(RefusalCode::State);
        }
        let step_id = entry.step_id?;
        let steps = &self.execution.steps;
        let Some(step) = steps.iter().find(|step| step.id == step_id) else {
            return Some(RefusalCode::Reference);
        };
        let action_id = entry.action_id?;
        let Some(action) = step.actions.iter().find(|action| action.id == action_id) else {
            return Some(RefusalCode::Reference);
        };
        entry.outcome_of(action.kind).is_none().then_some(RefusalCode::Value)
    }

    fn accept(
        &mut self,
        entry: &Entry,
        radius: PresenceRadius,
        received_at: Timestamp,
    ) -> EntryOutcome {
        let execution = &mut self.execution;
        let step = execution.steps.iter().find(|step| Some(step.id) == entry.step_id);
        let point = step.and_then(|step| self.points.get(&step.point_id?));
        let verdicts = verdicts(entry, execution, point, self.last, radius, received_at);
        execution.take(entry);
        execution.flag_count += i32::from(!verdicts.is_empty());
        self.last.number += 1;
        self.last.at = Some(entry.at);
        if let Some(device) = entry.position {
            self.last.position = Some((entry.at, device.position));
        }
        EntryOutcome::Accepted { number: self.last.number, verdicts }
    }
}

impl Entry {
    /// The entry, which this user sent first and so walks the round, unless START names another.
    fn sent_by(mut self, user: Option<UserId>) -> Self {
        if self.kind == EntryType::Start {
            self.performer_id = self.performer_id.or(user);
        }
        self
    }

    /// The value as a result of an action of this type; `None` unless it is the only value.
    fn outcome_of(&self, kind: ActionType) -> Option<Outcome> {
        let Self { boolean_value, number_value, text_value, media_ids, .. } = self;
        match (kind, boolean_value, number_value, text_value, media_ids.as_slice()) {
            (ActionType::Boolean, Some(value), None, None, []) => Some(Outcome::Boolean(*value)),
            (ActionType::Number, None, Some(value), None, []) => Some(Outcome::Number(*value)),
            (ActionType::Text, None, None, Some(value), []) => Some(Outcome::Text(value.clone())),
            (ActionType::Media, None, None, None, [_, ..]) => {
                Some(Outcome::Media(media_ids.clone()))
            }
            _ => None,
        }
    }
}

impl TaskExecution {
    /// The effect of an entry that is not refused.
    pub(super) fn take(&mut self, entry: &Entry) {
        match (entry.kind, self.progress) {
            (EntryType::Start, Progress::Pending) => {
                self.progress = Progress::InProgress { started_at: entry.at };
                self.performer_id = entry.performer_id;
            }
            (EntryType::Complete, Progress::InProgress { started_at }) => {
                let ended_at = entry.at.max(started_at);
                self.progress = Progress::Completed { started_at, ended_at };
            }
            (EntryType::Scan | EntryType::Result | EntryType::FinishStep, _) => {
                let performed = self.steps.iter().filter(|step| step.actual_order.is_some());
                let next_order = i32::try_from(performed.count() + 1).unwrap_or(i32::MAX);
                let same = |step: &&mut Step| Some(step.id) == entry.step_id;
                if let Some(step) = self.steps.iter_mut().find(same) {
                    step.take(entry, next_order);
                }
            }
            _ => {}
        }
    }
}

impl Step {
    fn take(&mut self, entry: &Entry, next_order: i32) {
        self.started_at.get_or_insert(entry.at);
        if entry.kind == EntryType::Scan {
            self.actual_order.get_or_insert(next_order);
        }
        let same = |action: &&mut Action| Some(action.id) == entry.action_id;
        if let Some(action) = self.actions.iter_mut().find(same) {
            action.outcome = entry.outcome_of(action.kind);
        }
        let is_done = entry.kind == EntryType::FinishStep
            || (entry.kind == EntryType::Result
                && self.actions.iter().all(|action| action.outcome.is_some()));
        if self.state == State::Completed {
            return;
        }
        if is_done {
            self.state = State::Completed;
            self.ended_at = Some(entry.at);
        } else {
            self.state = State::InProgress;
        }
    }
}
