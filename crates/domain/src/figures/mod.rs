//! Figures: how many rounds of a period were planned, completed, late and so on, in groups.

mod groups;
mod port;

use std::fmt;

pub use groups::{Groups, MAX_GROUPS};
pub use port::FigureStore;
#[cfg(feature = "mock")]
pub use port::MockFigureStore;

use crate::{
    schedule::{LocalDate, TimeZone},
    shared::{
        ids::{LocationId, ScheduledTaskId, UserId, Uuid},
        named::named,
        timestamp::Timestamp,
    },
    task_execution::{Moment, Timing},
};

named! {
    /// What rounds are grouped by. The codes are not stored.
    Grouping {
        /// The local day of the planned start.
        Day = "day", 0;
        /// The week of that day, from Monday (ISO 8601).
        Week = "week", 1;
        /// The month of that day.
        Month = "month", 2;
        /// The location.
        Location = "location", 3;
        /// The performer; rounds without one are a group.
        Performer = "performer", 4;
        /// The scheduled task; rounds without one are a group.
        ScheduledTask = "scheduledTask", 5;
    }
}

/// Which rounds are counted, and how they are grouped.
#[derive(Clone, PartialEq, Debug)]
pub struct FiguresQuery {
    /// Only rounds that are planned to start at this time or later,
    pub from: Timestamp,
    /// and before this one.
    pub to: Timestamp,
    /// `None` for a single group.
    pub grouping: Option<Grouping>,
    /// The zone of days, weeks and months.
    pub time_zone: TimeZone,
    /// Only rounds of this location.
    pub location_id: Option<LocationId>,
    /// Only rounds with this performer.
    pub performer_id: Option<UserId>,
    /// Only rounds of this scheduled task.
    pub scheduled_task_id: Option<ScheduledTaskId>,
    /// When rounds are late and missed.
    pub moment: Moment,
}

/// What figures count of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedRound {
    /// The plan and the state.
    pub timing: Timing,
    /// All steps.
    pub steps: i32,
    /// Steps in state COMPLETED.
    pub executed_steps: i32,
    /// Actions whose status is ERROR.
    pub error_count: i32,
    /// Actions whose status is WARNING.
    pub warning_count: i32,
    /// Accepted entries with a verdict.
    pub flag_count: i32,
}

/// The figures of a group of published rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// All rounds.
    pub planned: i64,
    /// Rounds in state COMPLETED.
    pub completed: i64,
    /// See [`Punctuality::is_on_time`](crate::task_execution::Punctuality::is_on_time).
    pub on_time: i64,
    /// See [`Moment::is_late`].
    pub late: i64,
    /// See [`Moment::is_missed`].
    pub missed: i64,
    /// Rounds in state IN_PROGRESS.
    pub in_progress: i64,
    /// All steps.
    pub steps: i64,
    /// Steps in state COMPLETED.
    pub executed_steps: i64,
    /// Actions whose status is ERROR.
    pub error_count: i64,
    /// Actions whose status is WARNING.
    pub warning_count: i64,
    /// Accepted entries with a verdict.
    pub flag_count: i64,
    /// From the actual start to the actual end of the COMPLETED rounds, in milliseconds.
    pub executed_millis: i64,
}

impl Figures {
    /// The figures of one published round.
    #[must_use]
    pub fn of(round: CountedRound, moment: Moment) -> Self {
        let CountedRound { timing, steps, executed_steps, error_count, warning_count, flag_count } =
            round;
        let (started_at, ended_at) = (timing.progress.started_at(), timing.progress.ended_at());
        Self {
            planned: 1,
            completed: i64::from(ended_at.is_some()),
            on_time: i64::from(moment.punctuality.is_on_time(timing)),
            late: i64::from(moment.is_late(timing)),
            missed: i64::from(moment.is_missed(timing)),
            in_progress: i64::from(started_at.is_some() && ended_at.is_none()),
            steps: steps.into(),
            executed_steps: executed_steps.into(),
            error_count: error_count.into(),
            warning_count: warning_count.into(),
            flag_count: flag_count.into(),
            executed_millis: started_at.zip(ended_at).map_or(0, |(start, end)| end.since(start)),
        }
    }

    /// Adds the figures of other rounds.
    pub fn add(&mut self, mut other: Self) {
        for (sum, more) in self.sums().into_iter().zip(other.sums()) {
            *sum = sum.saturating_add(*more);
        }
    }

    /// All of them, in the order of the fields.
    pub const fn sums(&mut self) -> [&mut i64; 12] {
        let Self {
            planned,
            completed,
            on_time,
            late,
            missed,
            in_progress,
            steps,
            executed_steps,
            error_count,
            warning_count,
            flag_count,
            executed_millis,
        } = self;
        [
            planned,
            completed,
            on_time,
            late,
            missed,
            in_progress,
            steps,
            executed_steps,
            error_count,
            warning_count,
            flag_count,
            executed_millis,
        ]
    }

    /// The mean duration of the COMPLETED rounds in minutes, not rounded; `None` without any.
    #[must_use]
    pub fn average_minutes(&self) -> Option<f64> {
        // The standard library has no other conversion; both are exact below 2^53.
        #[allow(clippy::as_conversions)]
        let (millis, completed) = (self.executed_millis as f64, self.completed as f64);
        (self.completed > 0).then_some(millis / (completed * 60_000.0))
    }
}

/// A group with its figures.
#[derive(Clone, PartialEq, Debug)]
pub struct FiguresRow {
    /// `None` for the group of all rounds, and of those without a performer or a scheduled task.
    pub key: Option<FiguresKey>,
    /// The name of the location, the performer or the scheduled task; `None` for other groups, and when
    /// the record is deleted.
    pub name: Option<String>,
    /// The figures of its rounds.
    pub figures: Figures,
}

/// The key of a group. `Display` writes it as the API does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FiguresKey {
    /// `2025-01-31`.
    Day(LocalDate),
    /// `2025-W01`: the week that begins on this Monday.
    Week(LocalDate),
    /// `2025-01`: the month that begins on this day.
    Month(LocalDate),
    /// The id of the location, the performer or the scheduled task.
    Id(Uuid),
}

impl FiguresKey {
    /// The id of the record, if the group is one of a record.
    const fn id(self) -> Option<Uuid> {
        match self {
            Self::Id(id) => Some(id),
            Self::Day(_) | Self::Week(_) | Self::Month(_) => None,
        }
    }
}

impl fmt::Display for FiguresKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(out, "{day}"),
            Self::Week(day) => {
                let (year, week) = day.iso_week();
                write!(out, "{year:04}-W{week:02}")
            }
            Self::Month(day) => {
                let (year, month, _) = day.parts();
                write!(out, "{year:04}-{month:02}")
            }
            Self::Id(id) => write!(out, "{id}"),
        }
    }
}

/// The figures of a period.
#[derive(Clone, PartialEq, Debug)]
pub struct FiguresReport {
    /// The groups that have rounds, by key, the one without a key last. A single group, also without
    /// rounds, when nothing is grouped.
    pub rows: Vec<FiguresRow>,
    /// The figures of all groups together.
    pub total: Figures,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_as_in_the_api() {
        let day = |text| LocalDate::parse(text).unwrap();
        for (key, written) in [
            (FiguresKey::Day(day("2025-01-31")), "2025-01-31"),
            (FiguresKey::Week(day("2024-12-30")), "2025-W01"),
            (FiguresKey::Week(day("2020-12-28")), "2020-W53"),
            (FiguresKey::Week(day("0001-01-01")), "0001-W01"),
            (FiguresKey::Month(day("2025-01-01")), "2025-01"),
        ] {
            assert_eq!(key.to_string(), written);
        }
    }

    #[test]
    fn the_mean_of_durations_is_not_rounded() {
        let three = Figures { completed: 3, executed_millis: 100_000, ..Figures::default() };
        assert_eq!(three.average_minutes(), Some(5.0 / 9.0));
        assert_eq!(Figures { planned: 1, ..Figures::default() }.average_minutes(), None);
    }
}
