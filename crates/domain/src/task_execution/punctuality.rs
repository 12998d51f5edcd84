//! Late, missed and on time: derived from the plan, the state and the clock, and never stored.

use std::time::Duration;

use super::{ExecutionFilter, ExecutionSummary, Progress, State, TaskExecution};
use crate::{
    list::{Comparison, Condition, Membership, Test},
    shared::{named::Named, timestamp::Timestamp},
};

/// How long before its planned start a round may start and still be on time, in milliseconds: an hour.
pub const EARLY_START_MILLIS: i64 = 3_600_000;

/// When the start of a round is late: the setting `PATROL_LATE_AFTER`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Punctuality {
    /// How long after its planned start a round may start without being late; 10 minutes by default.
    pub late_after: Duration,
}

impl Default for Punctuality {
    fn default() -> Self {
        Self { late_after: Duration::from_secs(600) }
    }
}

impl Punctuality {
    /// The rules at this time.
    #[must_use]
    pub const fn at(self, now: Timestamp) -> Moment {
        Moment { now, punctuality: self }
    }

    /// [`Punctuality::late_after`] in milliseconds.
    #[must_use]
    pub fn late_after_millis(self) -> i64 {
        i64::try_from(self.late_after.as_millis()).unwrap_or(i64::MAX)
    }

    /// Whether a round was on time: published, COMPLETED, started from an hour before its planned start to
    /// `late_after` after it, and ended by `late_after` after its planned end. The bounds are included.
    #[must_use]
    pub fn is_on_time(self, timing: Timing) -> bool {
        let Timing { published, progress, start_at, end_at } = timing;
        let Progress::Completed { started_at, ended_at } = progress else { return false };
        let late_after = self.late_after_millis();
        published
            && (-EARLY_START_MILLIS..=late_after).contains(&started_at.since(start_at))
            && ended_at.since(end_at) <= late_after
    }
}

/// What decides whether a round is late, missed or on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Rounds that are not published are never late, missed or on time.
    pub published: bool,
    /// The state with the actual start and end.
    pub progress: Progress,
    /// The planned start.
    pub start_at: Timestamp,
    /// The planned end.
    pub end_at: Timestamp,
}

impl TaskExecution {
    /// What decides whether this execution is late, missed or on time.
    #[must_use]
    pub const fn timing(&self) -> Timing {
        let Self { published, progress, start_at, end_at, .. } = *self;
        Timing { published, progress, start_at, end_at }
    }
}

impl ExecutionSummary {
    /// What decides whether this execution is late, missed or on time.
    #[must_use]
    pub const fn timing(&self) -> Timing {
        let Self { published, progress, start_at, end_at, .. } = *self;
        Timing { published, progress, start_at, end_at }
    }
}

/// The present time, and when a start is late at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The present time.
    pub now: Timestamp,
    /// When the start of a round is late.
    pub punctuality: Punctuality,
}

impl Moment {
    /// Whether a round is late: published, and PENDING more than `late_after` after its planned start, or
    /// started after that.
    #[must_use]
    pub fn is_late(self, timing: Timing) -> bool {
        let start = timing.progress.started_at().unwrap_or(self.now);
        timing.published && start.since(timing.start_at) > self.punctuality.late_after_millis()
    }

    /// Whether a round is missed: published, not COMPLETED, and after its planned end.
    #[must_use]
    pub fn is_missed(self, timing: Timing) -> bool {
        let is_completed = matches!(timing.progress, Progress::Completed { .. });
        timing.published && !is_completed && self.now > timing.end_at
    }

    /// The condition that [`Moment::is_late`] is `wanted`.
    #[must_use]
    pub fn late(self, wanted: bool) -> Condition<ExecutionFilter> {
        let late_after = self.punctuality.late_after_millis();
        // Before the first time that can be represented nothing was planned.
        let limit = self.now.shifted(late_after.saturating_neg());
        let planned = |comparison| {
            let test = limit.map(|limit| Test::Clock(comparison, limit));
            test.map(|test| Condition::Is(ExecutionFilter::StartAt, test)).into_iter().collect()
        };
        let started = |comparison| {
            Condition::Is(ExecutionFilter::StartDelay, Test::Millis(comparison, late_after))
        };
        if wanted {
            let waits = Condition::Any(planned(Comparison::Less));
            let waits = Condition::All(vec![is_state(&[State::Pending]), waits]);
            let started = started(Comparison::Greater);
            Condition::All(vec![is_published(true), Condition::Any(vec![waits, started])])
        } else {
            let waits = Condition::All(planned(Comparison::GreaterOrEqual));
            let waits = Condition::All(vec![is_state(&[State::Pending]), waits]);
            let started = started(Comparison::LessOrEqual);
            Condition::Any(vec![is_published(false), waits, started])
        }
    }

    /// The condition that [`Moment::is_missed`] is `wanted`.
    #[must_use]
    pub fn missed(self, wanted: bool) -> Condition<ExecutionFilter> {
        let ends =
            |comparison| Condition::Is(ExecutionFilter::EndAt, Test::Clock(comparison, self.now));
        if wanted {
            let is_open = is_state(&[State::Pending, State::InProgress]);
            Condition::All(vec![is_published(true), is_open, ends(Comparison::Less)])
        } else {
            let is_over = is_state(&[State::Completed]);
            Condition::Any(vec![is_published(false), is_over, ends(Comparison::GreaterOrEqual)])
        }
    }
}

fn is_published(published: bool) -> Condition<ExecutionFilter> {
    Condition::Is(ExecutionFilter::Published, Test::Flag(published))
}

fn is_state(states: &[State]) -> Condition<ExecutionFilter> {
    let codes = states.iter().map(|state| state.code()).collect();
    Condition::Is(ExecutionFilter::State, Test::Codes(Membership::Any, codes))
}
