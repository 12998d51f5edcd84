//! The progress of an execution, a step or an action.

use crate::shared::{named::named, timestamp::Timestamp};

named! {
    /// How far an execution, a step or an action is: PENDING, then IN_PROGRESS, then COMPLETED.
    /// An action goes back to PENDING when a change of its type removes its result.
    State {
        /// Not started.
        Pending = "PENDING", 0;
        /// Started.
        InProgress = "IN_PROGRESS", 1;
        /// Ended.
        Completed = "COMPLETED", 2;
    }
}

/// The state of an execution with the times that belong to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Not started.
    Pending,
    /// Started.
    InProgress {
        /// The actual start.
        started_at: Timestamp,
    },
    /// Ended.
    Completed {
        /// The actual start.
        started_at: Timestamp,
        /// The actual end, not before the start.
        ended_at: Timestamp,
    },
}

impl Progress {
    /// The state without its times.
    #[must_use]
    pub const fn state(self) -> State {
        match self {
            Self::Pending => State::Pending,
            Self::InProgress { .. } => State::InProgress,
            Self::Completed { .. } => State::Completed,
        }
    }

    /// The actual start; `None` while PENDING.
    #[must_use]
    pub const fn started_at(self) -> Option<Timestamp> {
        match self {
            Self::Pending => None,
            Self::InProgress { started_at } | Self::Completed { started_at, .. } => {
                Some(started_at)
            }
        }
    }

    /// The actual end; `None` unless COMPLETED.
    #[must_use]
    pub const fn ended_at(self) -> Option<Timestamp> {
        match self {
            Self::Pending | Self::InProgress { .. } => None,
            Self::Completed { ended_at, .. } => Some(ended_at),
        }
    }

    /// Milliseconds from the actual start to the actual end, or to `now` while IN_PROGRESS; 0 while
    /// PENDING. Never negative.
    #[must_use]
    pub fn executed_millis(self, now: Timestamp) -> i64 {
        match self {
            Self::Pending => 0,
            Self::InProgress { started_at } => now.since(started_at).max(0),
            Self::Completed { started_at, ended_at } => ended_at.since(started_at).max(0),
        }
    }

    /// Builds the value from a state and its times. `None` when this state needs a time that is
    /// missing, or may not have a time that is present.
    #[must_use]
    pub const fn from_parts(
        state: State,
        started_at: Option<Timestamp>,
        ended_at: Option<Timestamp>,
    ) -> Option<Self> {
        match (state, started_at, ended_at) {
            (State::Pending, None, None) => Some(Self::Pending),
            (State::InProgress, Some(started_at), None) => Some(Self::InProgress { started_at }),
            (State::Completed, Some(started_at), Some(ended_at)) => {
                Some(Self::Completed { started_at, ended_at })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).unwrap()
    }

    #[test]
    fn executed_time_grows_while_in_progress() {
        let now = at(10_000);
        let running = Progress::InProgress { started_at: at(4_000) };
        let completed = Progress::Completed { started_at: at(4_000), ended_at: at(5_500) };
        assert_eq!(Progress::Pending.executed_millis(now), 0);
        assert_eq!(running.executed_millis(now), 6_000);
        assert_eq!(completed.executed_millis(now), 1_500);
    }

    #[test]
    fn executed_time_is_not_negative_when_the_clock_is_set_back() {
        assert_eq!(Progress::InProgress { started_at: at(4_000) }.executed_millis(at(1_000)), 0);
    }

    #[test]
    fn each_state_accepts_only_its_own_times() {
        let (start, end) = (Some(at(1)), Some(at(2)));
        for state in [State::Pending, State::InProgress, State::Completed] {
            for (started, ended) in [(None, None), (start, None), (None, end), (start, end)] {
                let fits = matches!(
                    (state, started, ended),
                    (State::Pending, None, None)
                        | (State::InProgress, Some(_), None)
                        | (State::Completed, Some(_), Some(_))
                );
                assert_eq!(Progress::from_parts(state, started, ended).is_some(), fits);
            }
        }
    }
}
