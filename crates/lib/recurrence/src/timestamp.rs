//! Points in time.

use std::fmt;

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// A time in UTC with millisecond precision, in the years 0001 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timestamp(i64);

/// Milliseconds from 1970 to 0001-01-01T00:00:00.000Z.
const FIRST: i64 = -62_135_596_800_000;
/// Milliseconds from 1970 to 9999-12-31T23:59:59.999Z.
const LAST: i64 = 253_402_300_799_999;

impl Timestamp {
    /// The last time that can be represented, 9999-12-31T23:59:59.999Z.
    pub const LAST: Self = Self(LAST);

    /// The time `millis` milliseconds after 1970-01-01T00:00:00Z; `None` outside the years 0001 to
    /// 9999.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Option<Self> {
        if millis < FIRST || millis > LAST { None } else { Some(Self(millis)) }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Parses an RFC 3339 time with any offset; truncates it to milliseconds. `None` when the text
    /// has another form or the time in UTC is outside the years 0001 to 9999.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        Self::from_millis(
            time.unix_timestamp().checked_mul(1000)?.checked_add(i64::from(time.millisecond()))?,
        )
    }

    /// This time moved by `millis`; `None` when the result is outside the years 0001 to 9999.
    #[must_use]
    pub fn shifted(self, millis: i64) -> Option<Self> {
        Self::from_millis(self.0.checked_add(millis)?)
    }

    /// Milliseconds from `earlier` to this time; negative if `earlier` is in fact later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        // Both lie within 10,000 years of each other, so this cannot overflow.
        self.0 - earlier.0
    }
}

/// `2026-01-31T08:00:00.000Z`: always three decimals and `Z`. Written without the formatting
/// machinery, because a page of a list contains hundreds of times.
impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0.div_euclid(1000), self.0.rem_euclid(1000));
        let time = OffsetDateTime::from_unix_timestamp(seconds).map_err(|_| fmt::Error)?;
        let (year, month, day) = time.to_calendar_date();
        let (hour, minute, second) = time.to_hms();
        let (year, month) = (i64::from(year), i64::from(u8::from(month)));
        let (day, hour) = (i64::from(day), i64::from(hour));
        let (minute, second) = (i64::from(minute), i64::from(second));
        #[rustfmt::skip]
        let text = [
            digit(year, 1000), digit(year, 100), digit(year, 10), digit(year, 1), b'-',
            digit(month, 10), digit(month, 1), b'-',
            digit(day, 10), digit(day, 1), b'T',
            digit(hour, 10), digit(hour, 1), b':',
            digit(minute, 10), digit(minute, 1), b':',
            digit(second, 10), digit(second, 1), b'.',
            digit(millis, 100), digit(millis, 10), digit(millis, 1), b'Z',
        ];
        out.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

/// One decimal digit of a non-negative number. `place` is 1, 10, 100 and so on.
fn digit(number: i64, place: i64) -> u8 {
    b'0' + u8::try_from(number / place % 10).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_are_converted_to_utc_and_truncated_to_milliseconds() {
        for (text, parsed) in [
            ("2026-01-31T08:00:00Z", "2026-01-31T08:00:00.000Z"),
            ("2026-01-31T08:00:00.9999Z", "2026-01-31T08:00:00.999Z"),
            ("2026-01-31T08:00:00.123456789123Z", "2026-01-31T08:00:00.123Z"),
            ("2026-01-31T08:00:00+05:30", "2026-01-31T02:30:00.000Z"),
            ("2026-01-31t08:00:00z", "2026-01-31T08:00:00.000Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
            ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
        ] {
            let time = Timestamp::parse(text);
            assert_eq!(time.map(|time| time.to_string()).as_deref(), Some(parsed), "{text}");
        }
    }

    #[test]
    fn other_formats_and_years_out_of_range_are_refused() {
        for bad in [
            "",
            "2026-01-31",
            "2026-01-31T08:00:00",
            "2026-02-30T08:00:00Z",
            "0000-12-31T23:59:59Z",
            "0001-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "10000-01-01T00:00:00Z",
            "1769846400",
            "2026-01-31T08:00:00 Z",
        ] {
            assert!(Timestamp::parse(bad).is_none(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_written_time_is_parsed_as_the_same_time(millis in FIRST..=LAST) {
            let time = Timestamp::from_millis(millis).unwrap();
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }
}
