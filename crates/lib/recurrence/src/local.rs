//! Dates and times without a zone.

use std::fmt;

use super::calendar;
use crate::timestamp::Timestamp;

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// A date in the years 0001 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalDate(i64);

/// A date and a time of day, to the second, without a zone; in the years 0001 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalDateTime(i64);

impl LocalDate {
    /// Parses `2026-12-01`. `None` for any other form, and for a date that does not exist.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else { return None };
        Self::new(number(&[*y1, *y2, *y3, *y4])?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)
    }

    /// The date with these parts; `None` when it does not exist.
    pub(super) fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let is_date = (1..=9_999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=calendar::month_len(year, month)).contains(&day);
        is_date.then(|| Self(calendar::days(year, month, day)))
    }

    /// The day of the week, from 0 for Monday to 6 for Sunday.
    #[must_use]
    pub fn weekday(self) -> usize {
        usize::try_from(calendar::weekday(self.0)).unwrap_or_default()
    }

    /// The date this many days later; earlier for a negative number. `None` outside the years 0001 to 9999.
    #[must_use]
    pub fn plus_days(self, days: i64) -> Option<Self> {
        let seconds = self.0.checked_add(days)?.checked_mul(DAY)?;
        LocalDateTime::from_seconds(seconds).map(LocalDateTime::date)
    }

    /// Midnight at the beginning of the date.
    #[must_use]
    pub const fn midnight(self) -> LocalDateTime {
        LocalDateTime(self.0 * DAY)
    }

    /// Days since 1970-01-01.
    pub(super) const fn days(self) -> i64 {
        self.0
    }

    /// The date with this number of days since 1970-01-01, or the nearest one in the years 0001 to 9999.
    #[must_use]
    pub fn from_days(days: i64) -> Self {
        let (first, last) = (LocalDateTime::FIRST.date(), LocalDateTime::LAST.date());
        Self(days.clamp(first.0, last.0))
    }

    /// Year, month and day of the month.
    #[must_use]
    pub const fn parts(self) -> (i64, i64, i64) {
        calendar::civil(self.0)
    }

    /// The Monday of the week.
    #[must_use]
    pub const fn week_start(self) -> Self {
        // 0001-01-01 was a Monday.
        Self(self.0 - calendar::weekday(self.0))
    }

    /// The first day of the month.
    #[must_use]
    pub const fn month_start(self) -> Self {
        let (_, _, day) = self.parts();
        Self(self.0 - day + 1)
    }

    /// Year and number of the week by ISO 8601: the year is that of the Thursday of the week.
    #[must_use]
    pub const fn iso_week(self) -> (i64, i64) {
        let thursday = self.week_start().0 + 3;
        let (year, _, _) = calendar::civil(thursday);
        (year, (thursday - calendar::days(year, 1, 1)) / 7 + 1)
    }
}

impl LocalDateTime {
    /// A local time that comes before `time` in every zone: two days earlier in UTC.
    #[must_use]
    pub fn before(time: Timestamp) -> Self {
        Self::from_seconds(time.millis().div_euclid(1_000) - 2 * DAY).unwrap_or(Self::FIRST)
    }

    /// 9999-12-31T23:59:59.
    pub(super) const LAST: Self = Self(253_402_300_799);
    /// 0001-01-01T00:00:00.
    pub(super) const FIRST: Self = Self(-62_135_596_800);

    /// Parses `2026-12-01T22:00:00`. `None` for any other form, and for a time that does not exist
    /// in the calendar.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once('T')?;
        let [h1, h2, b':', m1, m2, b':', s1, s2] = time.as_bytes() else { return None };
        let hour = number(&[*h1, *h2])?;
        let (minute, second) = (number(&[*m1, *m2])?, number(&[*s1, *s2])?);
        Self::new(LocalDate::parse(date)?, hour, minute, second)
    }

    /// The time of day on this date; `None` when it does not exist.
    pub(super) fn new(date: LocalDate, hour: i64, minute: i64, second: i64) -> Option<Self> {
        let is_time =
            (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
        is_time.then(|| Self(date.0 * DAY + hour * 3_600 + minute * 60 + second))
    }

    /// The time with this number of seconds since 1970-01-01T00:00:00; `None` outside the years 0001
    /// to 9999.
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (Self::FIRST.0..=Self::LAST.0).contains(&seconds).then_some(Self(seconds))
    }

    /// Seconds since 1970-01-01T00:00:00, as if every day had 86,400 seconds.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// The date.
    #[must_use]
    pub const fn date(self) -> LocalDate {
        LocalDate(self.0.div_euclid(DAY))
    }
}

/// `2026-12-01`.
impl fmt::Display for LocalDate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = calendar::civil(self.0);
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

/// `2026-12-01T22:00:00`.
impl fmt::Display for LocalDateTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = self.0.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(out, "{}T{hour:02}:{minute:02}:{second:02}", self.date())
    }
}

/// The number with these decimal digits; `None` when a byte is not a digit, or when the number is
/// too large for 64 bits.
pub(super) fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0_i64, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn other_forms_and_dates_that_do_not_exist_are_refused() {
        for bad in [
            "",
            "2026-12-01",
            "2026-12-01 22:00:00",
            "2026-12-01t22:00:00",
            "2026-12-01T22:00",
            "2026-12-01T22:00:00Z",
            "2026-12-01T22:00:00.5",
            "2026-12-01T22:00:00+01:00",
            "2026-12-01T24:00:00",
            "2026-12-01T22:60:00",
            "2026-12-01T22:00:60",
            "2026-02-29T22:00:00",
            "0000-01-01T00:00:00",
            "10000-01-01T00:00:00",
            "+026-12-01T22:00:00",
            "2026-12-01T22:00:0٠",
        ] {
            assert_eq!(LocalDateTime::parse(bad), None, "{bad}");
        }
        for bad in ["", "2026-2-3", "2026-13-01", "2026-00-01", "2026-01-00", "2100-02-29"] {
            assert_eq!(LocalDate::parse(bad), None, "{bad}");
        }
        assert_eq!(LocalDateTime::FIRST.to_string(), "0001-01-01T00:00:00");
        assert_eq!(LocalDateTime::LAST.to_string(), "9999-12-31T23:59:59");
    }

    #[test]
    fn weeks_are_those_of_iso_8601() {
        for (day, monday, week) in [
            ("0001-01-01", "0001-01-01", (1, 1)),
            ("2020-12-31", "2020-12-28", (2020, 53)),
            ("2021-01-03", "2020-12-28", (2020, 53)),
            ("2021-01-04", "2021-01-04", (2021, 1)),
            ("2024-12-29", "2024-12-23", (2024, 52)),
            ("2024-12-30", "2024-12-30", (2025, 1)),
            ("2025-01-01", "2024-12-30", (2025, 1)),
            ("2026-12-31", "2026-12-28", (2026, 53)),
            ("9999-12-31", "9999-12-27", (9999, 52)),
        ] {
            let day = LocalDate::parse(day).unwrap();
            assert_eq!((day.week_start().to_string().as_str(), day.iso_week()), (monday, week));
        }
        let day = |text| LocalDate::parse(text).unwrap();
        assert_eq!(day("2024-02-29").month_start(), day("2024-02-01"));
        assert_eq!(LocalDate::from_days(day("2024-02-29").days()), day("2024-02-29"));
        assert_eq!(LocalDate::from_days(i64::MAX), day("9999-12-31"));
        assert_eq!(LocalDate::from_days(i64::MIN), day("0001-01-01"));
    }

    proptest! {
        #[test]
        fn a_written_time_is_parsed_as_the_same_time(
            seconds in LocalDateTime::FIRST.0..=LocalDateTime::LAST.0,
        ) {
            let time = LocalDateTime::from_seconds(seconds).unwrap();
            prop_assert_eq!(LocalDateTime::parse(&time.to_string()), Some(time));
            prop_assert_eq!(LocalDate::parse(&time.date().to_string()), Some(time.date()));
        }
    }
}
