//! Expands a rule in local time. `docs/adr/0037-recurrence-and-time-zones.md`
//! says why this is our own code, and what bounds its work.

use super::{
    filter::DayFilter,
    parse::{End, Frequency, Parts},
};
use crate::{
    calendar::{self, DAYS_OF_400_YEARS, Day},
    local::{DAY, LocalDateTime},
    timestamp::Timestamp,
    zone::TimeZone,
};

const HOUR: i64 = 3_600;

/// The local times of a rule: distinct, ascending, in seconds since 1970-01-01T00:00:00. The first
/// one is the start.
///
/// A rule repeats an interval: a year, a month, a week, a day or an hour. Intervals are numbered
/// from 0, so that a search for a distant time can skip the intervals before it. The calendar
/// repeats itself after 400 years. So it is enough to count the occurrences of 400 years, and a
/// rule ends when a search finds no occurrence in 400 years.
pub(crate) struct Expander<'a> {
    parts: &'a Parts,
    filter: DayFilter<'a>,
    start: i64,
    /// Whether the iterator has yet to return the start.
    at_start: bool,
    /// The unit of the first interval; see [`unit_of`].
    base: i64,
    /// After this many intervals the calendar repeats itself.
    cycle: i64,
    /// The last possible time: the end of the calendar, or UNTIL. For UNTIL in UTC, the latest
    /// local time that it can be in any zone.
    last: i64,
    /// The unit of `last`; see [`unit_of`].
    last_unit: i64,
    hours: Vec<i64>,
    minutes: Vec<i64>,
    seconds: Vec<i64>,
    current: Interval,
    /// How many more occurrences COUNT allows.
    remaining: u64,
}

/// The occurrences in one interval.
#[derive(Default)]
struct Interval {
    /// The number of the interval, from 0.
    number: i64,
    days: Vec<i64>,
    /// The hour of all times, when the interval is an hour.
    hour: Option<i64>,
    /// The indexes of the elements that BYSETPOS chooses, from 0.
    chosen: Vec<i64>,
    /// The number of occurrences.
    len: i64,
    /// The index of the next occurrence, from 0.
    next: i64,
}

impl<'a> Expander<'a> {
    pub(super) fn new(parts: &'a Parts, start: LocalDateTime) -> Self {
        let start = start.seconds();
        let day = Day::of(start.div_euclid(DAY));
        let second = start.rem_euclid(DAY);
        let or =
            |list: &[i64], default| if list.is_empty() { vec![default] } else { list.to_vec() };
        let is_hourly = parts.frequency == Frequency::Hourly;
        let units = match parts.frequency {
            Frequency::Yearly => 400,
            Frequency::Monthly => 4_800,
            Frequency::Weekly => DAYS_OF_400_YEARS / 7,
            Frequency::Daily => DAYS_OF_400_YEARS,
            Frequency::Hourly => DAYS_OF_400_YEARS * 24,
        };
        let end = LocalDateTime::LAST.seconds();
        let last = match parts.end {
            End::Never | End::Count(_) => end,
            End::Local(until) => until.seconds(),
            End::Utc(until) => (until.millis() / 1_000 + TimeZone::WIDEST_OFFSET).min(end),
        };
        let mut expander = Self {
            parts,
            filter: DayFilter::new(parts, day),
            start,
            at_start: true,
            base: unit_of(parts, start),
            cycle: units / greatest_common_divisor(units, parts.interval),
            last,
            last_unit: unit_of(parts, last),
            hours: if is_hourly { parts.hours.clone() } else { or(&parts.hours, second / HOUR) },
            minutes: or(&parts.minutes, second / 60 % 60),
            seconds: or(&parts.seconds, second % 60),
            current: Interval::default(),
            remaining: match parts.end {
                End::Count(count) => count.saturating_sub(1),
                End::Never | End::Local(_) | End::Utc(_) => u64::MAX,
            },
        };
        if !expander.may_have_occurrences() {
            expander.remaining = 0;
        }
        expander.load(0);
        while expander.peek().is_some_and(|time| time <= start) {
            expander.current.next += 1;
        }
        expander
    }

    /// The instant at which the rule ends, if it is given in UTC.
    pub(crate) const fn until(&self) -> Option<Timestamp> {
        match self.parts.end {
            End::Utc(until) => Some(until),
            End::Never | End::Count(_) | End::Local(_) => None,
        }
    }

    /// Skips the times before `time`. They count for COUNT.
    pub(crate) fn seek(&mut self, time: i64) {
        if time <= self.start {
            return;
        }
        self.at_start = false;
        let target = (unit_of(self.parts, time) - self.base).div_euclid(self.parts.interval);
        let from = self.current.number + 1;
        if target >= from && self.remaining > 0 {
            if matches!(self.parts.end, End::Count(_)) {
                self.spend(self.current.len - self.current.next);
                let between = self.count(from, target);
                self.spend(between);
            }
            self.load(target);
        }
        while self.peek().is_some_and(|next| next < time) {
            self.current.next += 1;
            self.spend(1);
        }
    }

    /// The first time at or after `time`, and how many times COUNT still allows, this one included.
    pub(crate) fn rest(mut self, time: i64) -> Option<(i64, u64)> {
        self.seek(time);
        let (at_start, remaining) = (self.at_start, self.remaining);
        Some((self.next()?, remaining.saturating_add(u64::from(at_start))))
    }

    /// The next time in the current interval.
    fn peek(&self) -> Option<i64> {
        let Interval { days, hour, chosen, len, next, .. } = &self.current;
        if self.remaining == 0 || next >= len {
            return None;
        }
        let at = |list: &[i64], index: i64| {
            usize::try_from(index).ok().and_then(|index| list.get(index).copied())
        };
        let index = if chosen.is_empty() { *next } else { at(chosen, *next)? };
        let (minutes, seconds) = (length(&self.minutes), length(&self.seconds));
        let hour_index = index / (minutes * seconds);
        let (day, hour) = match hour {
            Some(hour) => (at(days, 0)?, *hour),
            None => {
                let hours = length(&self.hours);
                (at(days, hour_index / hours)?, at(&self.hours, hour_index % hours)?)
            }
        };
        let minute = at(&self.minutes, index / seconds % minutes)?;
        let second = at(&self.seconds, index % seconds)?;
        Some(day * DAY + hour * HOUR + minute * 60 + second)
    }

    /// Moves to the next interval with an occurrence; `false` when there is none.
    fn advance(&mut self) -> bool {
        let from = self.current.number;
        let mut number = from + 1;
        // The first week may be incomplete, so the search covers one more interval.
        while number <= from + self.cycle + 1 && self.unit(number) <= self.last_unit {
            self.load(number);
            if self.current.len > 0 {
                return true;
            }
            number = self.after_empty(number);
        }
        self.remaining = 0;
        false
    }

    /// The number of occurrences in the intervals `from..to`, where `from` is at least 1. Counting
    /// may stop at `remaining`: a greater result only means that none remain.
    fn count(&mut self, from: i64, to: i64) -> i64 {
        let intervals = (to - from).max(0);
        if intervals <= self.cycle {
            return self.count_each(from, to);
        }
        let (cycles, rest) = (intervals / self.cycle, intervals % self.cycle);
        let of_cycle = self.count_each(from, from + self.cycle);
        of_cycle.saturating_mul(cycles).saturating_add(self.count_each(from, from + rest))
    }

    fn count_each(&mut self, from: i64, to: i64) -> i64 {
        let (mut number, mut total) = (from, 0_i64);
        // All hours of one day have the same number of occurrences, unless BYHOUR excludes them.
        let mut counted = None;
        while number < to && u64::try_from(total).is_ok_and(|total| total < self.remaining) {
            let unit = self.unit(number);
            let day = (self.parts.frequency == Frequency::Hourly).then(|| unit.div_euclid(24));
            if day.is_some() && !self.allows_hour(unit.rem_euclid(24)) {
                number += 1;
                continue;
            }
            if day.is_none() || day != counted {
                self.load(number);
                counted = day;
            }
            total = total.saturating_add(self.current.len);
            number = if self.current.len == 0 { self.after_empty(number) } else { number + 1 };
        }
        total
    }

    /// The next interval that may have occurrences, after an empty one.
    fn after_empty(&self, number: i64) -> i64 {
        let unit = self.unit(number);
        let is_hourly = self.parts.frequency == Frequency::Hourly;
        let day = match self.parts.frequency {
            Frequency::Daily => unit,
            // The rule allows the hour, so it does not allow the day.
            Frequency::Hourly if self.allows_hour(unit.rem_euclid(24)) => unit.div_euclid(24),
            _ => return number + 1,
        };
        let next = self.next_day(day);
        let past = if is_hourly { next * 24 } else { next } - self.base;
        let interval = self.parts.interval;
        (past + interval - 1).div_euclid(interval).max(number + 1)
    }

    /// The first day after this one that the rule allows. A day more than 400 years later, or after
    /// the end of the rule, means that there is none.
    fn next_day(&self, day: i64) -> i64 {
        let end = (day + DAYS_OF_400_YEARS).min(self.last.div_euclid(DAY));
        let mut next = Day::of(day + 1);
        while next.number <= end && !self.filter.has(&next) {
            let skipped = if self.filter.has_month(next.month) {
                1
            } else {
                next.month_len - next.month_day + 1
            };
            next = Day::of(next.number + skipped);
        }
        next.number
    }

    /// Makes this interval the current one.
    fn load(&mut self, number: i64) {
        let unit = self.unit(number);
        let mut days = std::mem::take(&mut self.current.days);
        days.clear();
        let hour = (self.parts.frequency == Frequency::Hourly).then(|| unit.rem_euclid(24));
        let has_allowed_hour = hour.is_none_or(|hour| self.allows_hour(hour));
        let Self { filter, start, parts, .. } = self;
        let mut add = |day: Day| {
            if filter.has(&day) {
                days.push(day.number);
            }
        };
        let mut add_month = |year, month| {
            if filter.has_month(month) {
                Day::of_month(year, month).for_each(&mut add);
            }
        };
        match parts.frequency {
            Frequency::Yearly => (1..=12).for_each(|month| add_month(unit, month)),
            Frequency::Monthly => add_month(unit.div_euclid(12), unit.rem_euclid(12) + 1),
            Frequency::Weekly => {
                let first = unit * 7 - 3 + parts.week_start;
                // As in python-dateutil, BYSETPOS counts the days of the first week from the start.
                let from = first.max(start.div_euclid(DAY));
                (from..first + 7).map(Day::of).for_each(&mut add);
            }
            Frequency::Daily => add(Day::of(unit)),
            Frequency::Hourly if has_allowed_hour => add(Day::of(unit.div_euclid(24))),
            Frequency::Hourly => {}
        }
        let hours = if hour.is_some() { 1 } else { length(&self.hours) };
        let elements = length(&days) * hours * length(&self.minutes) * length(&self.seconds);
        let mut chosen = std::mem::take(&mut self.current.chosen);
        chosen.clear();
        let len = if self.parts.positions.is_empty() {
            elements
        } else {
            let positions = self.parts.positions.iter();
            let index = positions.map(|at| if *at > 0 { at - 1 } else { elements + at });
            chosen.extend(index.filter(|index| (0..elements).contains(index)));
            chosen.sort_unstable();
            chosen.dedup();
            length(&chosen)
        };
        self.current = Interval { number, days, hour, chosen, len, next: 0 };
    }

    /// The unit of an interval; see [`unit_of`].
    const fn unit(&self, number: i64) -> i64 {
        self.base + number * self.parts.interval
    }

    fn allows_hour(&self, hour: i64) -> bool {
        self.hours.is_empty() || self.hours.binary_search(&hour).is_ok()
    }

    /// Whether the rule can have an occurrence on the days that it allows. It has none when
    /// INTERVAL never reaches an hour of BYHOUR, or when BYSETPOS exceeds the number of occurrences
    /// in a day or an hour. This check saves a search through 400 years.
    fn may_have_occurrences(&self) -> bool {
        let an_hour = length(&self.minutes) * length(&self.seconds);
        let has_position = |len: i64| {
            let positions = &self.parts.positions;
            positions.is_empty() || positions.iter().any(|at| at.abs() <= len)
        };
        match self.parts.frequency {
            Frequency::Hourly => {
                let allows = |number| self.allows_hour(self.unit(number).rem_euclid(24));
                (0..24).any(allows) && has_position(an_hour)
            }
            Frequency::Daily => has_position(an_hour * length(&self.hours)),
            Frequency::Weekly | Frequency::Monthly | Frequency::Yearly => true,
        }
    }

    fn spend(&mut self, occurrences: i64) {
        let spent = u64::try_from(occurrences).unwrap_or_default();
        if matches!(self.parts.end, End::Count(_)) {
            self.remaining = self.remaining.saturating_sub(spent);
        }
    }
}

impl Iterator for Expander<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        if std::mem::take(&mut self.at_start) {
            return Some(self.start);
        }
        if self.remaining == 0 || (self.current.next >= self.current.len && !self.advance()) {
            return None;
        }
        let time = self.peek()?;
        if time > self.last {
            self.remaining = 0;
            return None;
        }
        self.current.next += 1;
        self.spend(1);
        Some(time)
    }
}

/// The unit of this local time: the year, the month (year × 12 + month − 1), or the number of the
/// week, day or hour since 1970.
fn unit_of(parts: &Parts, time: i64) -> i64 {
    let day = time.div_euclid(DAY);
    match parts.frequency {
        Frequency::Yearly => calendar::civil(day).0,
        Frequency::Monthly => {
            let (year, month, _) = calendar::civil(day);
            year * 12 + month - 1
        }
        // 1970-01-01 was a Thursday, 3 days after the Monday of its week.
        Frequency::Weekly => (day + 3 - parts.week_start).div_euclid(7),
        Frequency::Daily => day,
        Frequency::Hourly => time.div_euclid(HOUR),
    }
}

fn length(list: &[i64]) -> i64 {
    i64::try_from(list.len()).unwrap_or(i64::MAX)
}

const fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}
