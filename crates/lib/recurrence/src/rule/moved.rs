//! Moves the occurrences of a rule to another time of day, and to other days if a rule can express
//! that.

use super::{
    RecurrenceRule, RuleFault,
    parse::{End, Frequency, Parts, WEEKDAYS},
};
use crate::{
    calendar::civil,
    local::{DAY, LocalDateTime},
    zone::TimeZone,
};

const HOUR: i64 = 3_600;

/// Every month has this day.
const LAST_DAY: i64 = 28;

/// The parts of a rule that the move changes.
struct Moved {
    hours: Vec<i64>,
    minutes: Vec<i64>,
    seconds: Vec<i64>,
    /// By how many days the weekdays move.
    days: i64,
    /// The moved days of the month, if a part chooses such days.
    month_days: Vec<i64>,
}

/// What remains of a rule from one of its occurrences on.
pub(crate) struct Rest {
    /// The occurrence.
    pub(crate) start: LocalDateTime,
    /// Whether it is the first occurrence of the rule.
    pub(crate) is_first: bool,
    /// How many occurrences COUNT leaves, this one included.
    pub(crate) count: u64,
}

impl RecurrenceRule {
    /// The rule of the remaining occurrences, moved by `by` seconds of local time.
    ///
    /// # Errors
    /// When no recurrence rule describes the moved occurrences.
    pub(crate) fn moved(&self, rest: &Rest, by: i64, zone: &TimeZone) -> Result<Self, RuleFault> {
        let Rest { start, is_first, count } = *rest;
        let parts = &self.parts;
        // BYSETPOS counts the days of the first week from the start.
        if parts.frequency == Frequency::Weekly && !parts.positions.is_empty() && !is_first {
            return Err(RuleFault::new(
                "a rule with FREQ=WEEKLY and BYSETPOS cannot be split: its first week would change",
            ));
        }
        let Moved { hours, minutes, seconds, days, month_days } = Moved::of(parts, start, by)?;
        let moves_weeks = parts.frequency == Frequency::Weekly && parts.weekdays != 0 && days != 0;
        let mut texts = Vec::new();
        for part in self.text.split(';') {
            let name = part.split_once('=').map_or(part, |(name, _)| name);
            let value = match name.to_ascii_uppercase().as_str() {
                "BYHOUR" => numbers(&hours),
                "BYMINUTE" => numbers(&minutes),
                "BYSECOND" => numbers(&seconds),
                "BYDAY" if days != 0 => weekdays(parts.weekdays, days),
                "BYMONTHDAY" if days != 0 => numbers(&month_days),
                "COUNT" => count.to_string(),
                "UNTIL" => until(parts.end, by, zone)?,
                "WKST" if moves_weeks => continue,
                _ => {
                    texts.push(part.to_owned());
                    continue;
                }
            };
            texts.push(format!("{name}={value}"));
        }
        if moves_weeks {
            // Keeps the same days together in one week.
            texts.push(format!("WKST={}", weekdays(1 << parts.week_start, days)));
        }
        Self::parse(&texts.join(";"))
    }
}

impl Moved {
    fn of(parts: &Parts, start: LocalDateTime, by: i64) -> Result<Self, RuleFault> {
        let times = times_of_day(parts, start);
        // The first occurrence need not match the rule, so it can have a time of day of its own.
        let of_start = parts.counts_from_start().then(|| start.seconds().rem_euclid(DAY));
        let all_times: Vec<_> = times.iter().copied().chain(of_start).collect();
        let days = common_value(all_times.iter().map(|time| (time + by).div_euclid(DAY)));
        // INTERVAL counts hours, and BYSETPOS counts the times of one hour. So all times of an
        // hour have to move by the same number of hours.
        let is_hourly = parts.frequency == Frequency::Hourly;
        let has_counted_hours = is_hourly && (parts.interval > 1 || !parts.positions.is_empty());
        let in_hour =
            common_value(all_times.iter().map(|time| (time % HOUR + by).div_euclid(HOUR)));
        let has_no_rule =
            (has_counted_hours && in_hour.is_none()) || (days.is_none() && !parts.has_equal_days());
        let days = days.unwrap_or(0);
        let moved: Vec<_> = times.iter().map(|time| (time + by).rem_euclid(DAY)).collect();
        let part = |of: fn(i64) -> i64| {
            let mut values: Vec<_> = moved.iter().copied().map(of).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let (hours, minutes) = (part(|time| time / HOUR), part(|time| time / 60 % 60));
        let seconds = part(|time| time % 60);
        if has_no_rule || hours.len() * minutes.len() * seconds.len() != times.len() {
            return Err(RuleFault::new("no recurrence rule describes the moved times of day"));
        }
        let month_days = parts.moved_month_days(start, days);
        let is_movable = if !parts.has_days() {
            parts.is_day_movable(start, days)
        } else {
            parts.has_only_weekdays() || month_days.is_some()
        };
        if days != 0 && !is_movable {
            return Err(RuleFault::new("no recurrence rule describes the moved days"));
        }
        Ok(Self { hours, minutes, seconds, days, month_days: month_days.unwrap_or_default() })
    }
}

impl Parts {
    /// Whether a part chooses days or months.
    fn has_days(&self) -> bool {
        self.weekdays != 0 || !self.has_only_weekdays()
    }

    /// Whether the only part that can choose days or months is BYDAY without numbers; also true
    /// if there is no such part. These weekdays can be moved. `false` for BYDAY with FREQ=MONTHLY
    /// or YEARLY: those weekdays cannot be moved.
    fn has_only_weekdays(&self) -> bool {
        self.numbered_weekdays.is_empty()
            && self.month_days.is_empty()
            && self.year_days.is_empty()
            && self.weeks.is_empty()
            && self.months.is_empty()
            && !matches!(self.frequency, Frequency::Monthly | Frequency::Yearly if self.weekdays != 0)
    }

    /// Whether the day of the month or year that the start implies can move by `days`: the month
    /// must stay the same, and every month must have both days.
    fn is_day_movable(&self, start: LocalDateTime, days: i64) -> bool {
        let day = start.seconds().div_euclid(DAY);
        let ((_, _, before), (_, _, after)) = (civil(day), civil(day + days));
        let is_implied = matches!(self.frequency, Frequency::Monthly | Frequency::Yearly);
        !is_implied || (after == before + days && before.max(after) <= LAST_DAY)
    }

    /// The days of BYMONTHDAY moved by `days`, if no other part chooses days. Every month must have
    /// each day before and after the move. INTERVAL counts from the month of the start, which must
    /// stay the same.
    fn moved_month_days(&self, start: LocalDateTime, days: i64) -> Option<Vec<i64>> {
        let day = start.seconds().div_euclid(DAY);
        let ((_, before, _), (_, after, _)) = (civil(day), civil(day + days));
        let changes_phase = self.interval > 1 && before != after;
        if self.month_days.is_empty() || self.chooses_other_days() || changes_phase {
            return None;
        }
        let moved = |day: i64| {
            let range = if day > 0 { 1..=LAST_DAY } else { -LAST_DAY..=-1 };
            Some(day + days).filter(|moved| range.contains(&day) && range.contains(moved))
        };
        self.month_days.list().into_iter().map(moved).collect()
    }

    /// Whether the days or hours that the rule chooses depend on its start.
    fn counts_from_start(&self) -> bool {
        self.interval > 1
            || match self.frequency {
                Frequency::Hourly | Frequency::Daily => false,
                Frequency::Weekly => self.weekdays == 0 || !self.positions.is_empty(),
                Frequency::Monthly | Frequency::Yearly => !self.chooses_days(),
            }
    }

    /// Whether some times may move across midnight and others not: no part chooses days or
    /// months, and the rule repeats every day or counts hours.
    fn has_equal_days(&self) -> bool {
        let is_daily =
            self.frequency == Frequency::Daily && self.interval == 1 && self.positions.is_empty();
        !self.has_days() && (is_daily || self.frequency == Frequency::Hourly)
    }
}

/// The times of day of the rule, in seconds. Hours, minutes and seconds that the rule does not name
/// are those of the start.
fn times_of_day(parts: &Parts, start: LocalDateTime) -> Vec<i64> {
    let second = start.seconds().rem_euclid(DAY);
    let or = |list: &[i64], default| if list.is_empty() { vec![default] } else { list.to_vec() };
    let hours = match parts.frequency {
        Frequency::Hourly if parts.hours.is_empty() => (0..24).collect(),
        _ => or(&parts.hours, second / HOUR),
    };
    let (minutes, seconds) =
        (or(&parts.minutes, second / 60 % 60), or(&parts.seconds, second % 60));
    let of_hour = |hour: i64| {
        let (minutes, seconds) = (minutes.iter(), &seconds);
        minutes.flat_map(move |minute| {
            seconds.iter().map(move |second| hour * HOUR + minute * 60 + second)
        })
    };
    hours.into_iter().flat_map(of_hour).collect()
}

/// The value that all of these have; `None` when they differ.
fn common_value(mut values: impl Iterator<Item = i64>) -> Option<i64> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

fn numbers(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

/// The weekdays, bit 0 is Monday, moved by `days`.
fn weekdays(bits: u8, days: i64) -> String {
    let names = (0..7).filter(|day| bits >> (day - days).rem_euclid(7) & 1 == 1);
    let names = names.filter_map(|day| WEEKDAYS.get(usize::try_from(day).ok()?).copied());
    names.collect::<Vec<_>>().join(",")
}

/// The value of UNTIL after the move. An UNTIL in UTC also moves in local time.
fn until(end: End, by: i64, zone: &TimeZone) -> Result<String, RuleFault> {
    let moved = |until: LocalDateTime| until.seconds().saturating_add(by);
    let (seconds, suffix) = match end {
        End::Local(until) => (Some(moved(until)), ""),
        // In the second pass of a repeated hour, the local time would stand for the first pass.
        End::Utc(until) if by == 0 => (Some(until.millis().div_euclid(1_000)), "Z"),
        End::Utc(until) => {
            (zone.local(until).and_then(|until| zone.place(moved(until))).map(|at| at.at), "Z")
        }
        End::Never | End::Count(_) => (None, ""),
    };
    let until = seconds
        .and_then(LocalDateTime::from_seconds)
        .ok_or_else(|| RuleFault::new("UNTIL would be outside the years 1 to 9999"))?;
    Ok(format!("{}{suffix}", until.to_string().replace(['-', ':'], "")))
}
