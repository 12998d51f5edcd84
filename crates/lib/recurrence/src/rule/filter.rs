//! Which days a rule allows.

use super::parse::{Frequency, Numbers, Parts};
use crate::calendar::Day;

/// The parts of a rule that choose days, completed with the days that the start implies.
pub(super) struct DayFilter<'a> {
    parts: &'a Parts,
    months: Numbers,
    month_days: Numbers,
    weekdays: u8,
    /// Whether the numbers of BYDAY count the weekdays of a year instead of a month.
    is_of_year: bool,
}

impl<'a> DayFilter<'a> {
    pub(super) fn new(parts: &'a Parts, start: Day) -> Self {
        let Parts { frequency, mut months, mut month_days, mut weekdays, .. } = *parts;
        let is_of_year = frequency == Frequency::Yearly && months.is_empty();
        if !parts.chooses_days() {
            match frequency {
                Frequency::Yearly => {
                    if months.is_empty() {
                        months = Numbers::of(&[start.month]);
                    }
                    month_days = Numbers::of(&[start.month_day]);
                }
                Frequency::Monthly => month_days = Numbers::of(&[start.month_day]),
                Frequency::Weekly => weekdays = 1 << start.weekday,
                Frequency::Daily | Frequency::Hourly => {}
            }
        }
        Self { parts, months, month_days, weekdays, is_of_year }
    }

    /// Whether the rule allows this month, from 1.
    pub(super) const fn has_month(&self, month: i64) -> bool {
        self.months.is_empty() || self.months.has_from_start(month)
    }

    /// Whether the rule allows this day.
    pub(super) fn has(&self, day: &Day) -> bool {
        self.has_month(day.month)
            && (self.month_days.is_empty() || self.month_days.has(day.month_day, day.month_len))
            && self.has_weekday(day)
            && self.has_year_day(day)
            && self.has_week(day)
    }

    fn has_weekday(&self, day: &Day) -> bool {
        let numbered = &self.parts.numbered_weekdays;
        if self.weekdays == 0 && numbered.is_empty() || self.weekdays >> day.weekday & 1 == 1 {
            return true;
        }
        let (at, len) = if self.is_of_year {
            (day.year_day, day.year_len)
        } else {
            (day.month_day, day.month_len)
        };
        let (from_start, from_end) = ((at - 1) / 7 + 1, (at - len) / 7 - 1);
        numbered.iter().any(|(number, weekday)| {
            *weekday == day.weekday && (*number == from_start || *number == from_end)
        })
    }

    fn has_year_day(&self, day: &Day) -> bool {
        let year_days = &self.parts.year_days;
        let has = |number: i64| year_days.binary_search(&number).is_ok();
        year_days.is_empty() || has(day.year_day) || has(day.year_day - day.year_len - 1)
    }

    /// Weeks begin with WKST; the first week of a year is the first with four days in it.
    fn has_week(&self, day: &Day) -> bool {
        let weeks = self.parts.weeks;
        if weeks.is_empty() {
            return true;
        }
        let past = (day.weekday - self.parts.week_start).rem_euclid(7);
        // The fourth day of a week is in the year that the week belongs to.
        let fourth = Day::of(day.number - past + 3);
        let week = (fourth.year_day - 1) / 7 + 1;
        weeks.has(week, week + (fourth.year_len - fourth.year_day) / 7)
    }
}
