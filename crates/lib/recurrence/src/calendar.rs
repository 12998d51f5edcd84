//! The Gregorian calendar in days since 1970-01-01.

/// Days of 400 years, after which months and weekdays repeat.
pub(super) const DAYS_OF_400_YEARS: i64 = 146_097;

/// A day, with the values that recurrence rules test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Day {
    /// Days since 1970-01-01.
    pub(super) number: i64,
    /// From 1.
    pub(super) month: i64,
    /// From 1.
    pub(super) month_day: i64,
    /// Days of its month.
    pub(super) month_len: i64,
    /// From 1.
    pub(super) year_day: i64,
    /// Days of its year.
    pub(super) year_len: i64,
    /// 0 for Monday to 6 for Sunday.
    pub(super) weekday: i64,
}

impl Day {
    /// The day with this number.
    pub(super) const fn of(number: i64) -> Self {
        let (year, month, month_day) = civil(number);
        Self {
            number,
            month,
            month_day,
            month_len: month_len(year, month),
            year_day: number - days(year, 1, 1) + 1,
            year_len: year_len(year),
            weekday: weekday(number),
        }
    }

    /// The days of a month.
    pub(super) fn of_month(year: i64, month: i64) -> impl Iterator<Item = Self> {
        let first = Self::of(days(year, month, 1));
        (0..first.month_len).map(move |past| Self {
            number: first.number + past,
            month_day: 1 + past,
            year_day: first.year_day + past,
            weekday: (first.weekday + past) % 7,
            ..first
        })
    }
}

/// The number of a date: days since 1970-01-01. All parts must be valid. The algorithm counts
/// days from 1 March of year 0, which is 719,468 days before 1970-01-01.
pub(super) const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have their leap day at the end.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_OF_400_YEARS + day_of_era - 719_468
}

/// Year, month and day of the month of a day.
pub(super) const fn civil(number: i64) -> (i64, i64, i64) {
    let number = number + 719_468;
    let era = number.div_euclid(DAYS_OF_400_YEARS);
    let day_of_era = number.rem_euclid(DAYS_OF_400_YEARS);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// The weekday of a day: 0 for Monday to 6 for Sunday.
pub(super) const fn weekday(number: i64) -> i64 {
    // 1970-01-01 was a Thursday.
    (number + 3).rem_euclid(7)
}

pub(super) const fn month_len(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

const fn year_len(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years_follows_the_one_before() {
        let (mut year, mut month, mut month_day) = (1, 1, 1);
        let mut year_day = 1;
        for number in days(1, 1, 1)..=days(9_999, 12, 31) {
            let day = Day::of(number);
            assert_eq!(civil(number), (year, month, month_day));
            assert_eq!((day.month, day.month_day), (month, month_day));
            assert_eq!((day.year_day, days(year, month, month_day)), (year_day, number));
            (month_day, year_day) = (month_day + 1, year_day + 1);
            if month_day > day.month_len {
                (month, month_day) = (month + 1, 1);
            }
            if month > 12 {
                assert_eq!(year_day, day.year_len + 1);
                (year, month, year_day) = (year + 1, 1, 1);
            }
        }
        assert_eq!((year, month, month_day), (10_000, 1, 1));
        // 2000-01-01 was a Saturday.
        assert_eq!(weekday(days(2_000, 1, 1)), 5);
    }

    #[test]
    fn the_days_of_a_month_are_those_found_one_by_one() {
        for (year, month) in [(2_024, 2), (2_100, 2), (1_999, 12), (1, 1)] {
            for day in Day::of_month(year, month) {
                assert_eq!(format!("{day:?}"), format!("{:?}", Day::of(day.number)));
            }
        }
    }
}
