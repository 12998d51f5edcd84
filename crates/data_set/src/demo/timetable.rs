//! When the rounds of the demo company take place: a timetable for each site.
//!
//! Every round may be performed within some hours. At every hour one of them is under way.

use patrol_domain::{
    Timestamp,
    schedule::{LocalDateTime, Pause, RecurrenceRule, Schedule, TimeZone},
};

use super::phrases::Phrases;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The rounds of a site.
pub(super) struct Timetable {
    zone: &'static str,
    /// The first round: a day on which the rule has one, so that it needs no exception.
    start: &'static str,
    rule: &'static str,
    minutes: u16,
    pub(super) shift: Shift,
    exception: Exception,
}

/// When a round takes place, for its name and its tag.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    Day,
    Night,
    DayAndNight,
    /// By day, and not by schedule: each round is made by hand.
    ByHand,
}

/// Days without rounds, from today.
#[derive(Clone, Copy)]
enum Exception {
    None,
    /// The round at the time of day of the start is left out.
    LeftOut(i64),
    /// No rounds from the first to the last day.
    Pause(i64, i64),
}

const fn timetable(
    zone: &'static str,
    start: &'static str,
    rule: &'static str,
    minutes: u16,
    shift: Shift,
) -> Timetable {
    Timetable { zone, start, rule, minutes, shift, exception: Exception::None }
}

/// The timetables of the sites, in their order. 2024 began with a Monday.
pub(super) const TIMETABLES: [Timetable; 12] = [
    timetable("Europe/London", "2024-01-01T22:00:00", "FREQ=DAILY;BYHOUR=22,2", 240, Shift::Night),
    Timetable {
        exception: Exception::LeftOut(4),
        ..timetable("Europe/Kaliningrad", "2024-01-01T23:00:00", "FREQ=DAILY", 180, Shift::Night)
    },
    timetable("Europe/Berlin", "2024-01-01T01:00:00", "FREQ=DAILY", 240, Shift::Night),
    timetable("Europe/Riga", "2024-01-01T07:00:00", "FREQ=DAILY", 240, Shift::Day),
    timetable("Europe/London", "2024-01-01T20:00:00", "FREQ=DAILY", 180, Shift::Night),
    timetable(
        "Europe/Moscow",
        "2024-01-01T08:00:00",
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8,18",
        120,
        Shift::Day,
    ),
    timetable(
        "Europe/Berlin",
        "2024-01-01T03:00:00",
        "FREQ=DAILY;BYHOUR=3,9,15,21",
        240,
        Shift::DayAndNight,
    ),
    timetable("Europe/Riga", "2024-01-01T20:00:00", "FREQ=DAILY", 240, Shift::Night),
    timetable("Europe/London", "2024-01-01T11:00:00", "FREQ=DAILY", 240, Shift::Day),
    Timetable {
        exception: Exception::Pause(6, 8),
        ..timetable(
            "Europe/Berlin",
            "2024-01-01T21:30:00",
            "FREQ=WEEKLY;BYDAY=MO,WE,FR,SA",
            90,
            Shift::Night,
        )
    },
    timetable(
        "Europe/Kaliningrad",
        "2024-01-01T10:00:00",
        "FREQ=DAILY;INTERVAL=3",
        120,
        Shift::ByHand,
    ),
    timetable("Europe/Riga", "2024-01-02T10:00:00", "FREQ=WEEKLY;BYDAY=TU,FR", 120, Shift::Day),
];

impl Timetable {
    /// The schedule, with the exceptions around `now`.
    pub(super) fn schedule(&self, now: Timestamp) -> Option<Schedule> {
        let start = LocalDateTime::parse(self.start)?;
        let date = |days: i64| LocalDateTime::from_seconds((today(now) + days) * DAY);
        let (exdates, pauses) = match self.exception {
            Exception::None => (Vec::new(), Vec::new()),
            Exception::LeftOut(days) => {
                let time = start.seconds().rem_euclid(DAY);
                let left_out = LocalDateTime::from_seconds(date(days)?.seconds() + time)?;
                (vec![left_out], Vec::new())
            }
            Exception::Pause(from, to) => {
                (Vec::new(), vec![Pause { from: date(from)?.date(), to: date(to)?.date() }])
            }
        };
        Some(Schedule {
            time_zone: TimeZone::named(self.zone)?,
            start,
            duration_minutes: self.minutes,
            rule: Some(RecurrenceRule::parse(self.rule).ok()?),
            exdates,
            rdates: Vec::new(),
            pauses,
        })
    }
}

impl Shift {
    /// The name of a round.
    pub(super) const fn name(self, phrases: &Phrases) -> &'static str {
        match self {
            Self::Day | Self::ByHand => phrases.day_round,
            Self::Night => phrases.night_round,
            Self::DayAndNight => phrases.round,
        }
    }

    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::Day | Self::ByHand => "day",
            Self::Night => "night",
            Self::DayAndNight => "24h",
        }
    }
}

/// The date of `now` in UTC, in days since 1970-01-01.
pub(super) const fn today(now: Timestamp) -> i64 {
    now.millis().div_euclid(DAY * 1_000)
}

/// The days from `now` to a local date, and the hour of the day.
pub(super) const fn day_and_hour(now: Timestamp, time: LocalDateTime) -> (i64, i64) {
    (time.seconds().div_euclid(DAY) - today(now), time.seconds().rem_euclid(DAY) / 3_600)
}
