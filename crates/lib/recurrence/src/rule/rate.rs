//! How many occurrences a rule can have on one day.

use super::parse::{Frequency, Parts};

/// An upper bound of the occurrences of the rule on one day. It is exact unless BYSETPOS has both
/// positive and negative numbers.
pub(super) fn most_a_day(parts: &Parts) -> i64 {
    let Parts { frequency, interval, seconds, minutes, hours, positions, .. } = parts;
    let len = |list: &[i64]| i64::try_from(list.len()).unwrap_or(i64::MAX).max(1);
    let an_hour = len(minutes) * len(seconds);
    match frequency {
        Frequency::Hourly => hours_a_day(*interval, hours) * chosen(positions, an_hour),
        Frequency::Daily => chosen(positions, an_hour * len(hours)),
        Frequency::Weekly | Frequency::Monthly | Frequency::Yearly => {
            chosen_of_a_day(positions, an_hour * len(hours))
        }
    }
}

/// The most hours that a rule reaches on one day.
fn hours_a_day(interval: i64, hours: &[i64]) -> i64 {
    let is_allowed = |hour: &i64| hours.is_empty() || hours.binary_search(hour).is_ok();
    let from = |first: i64| {
        let reached = (0..).map(|step| first + step * interval).take_while(|hour| *hour < 24);
        reached.filter(is_allowed).count()
    };
    let most = (0..interval.min(24)).map(from).max().unwrap_or_default();
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// How many of the `len` elements of an interval BYSETPOS chooses.
fn chosen(positions: &[i64], len: i64) -> i64 {
    if positions.is_empty() {
        return len;
    }
    let has = |at: &i64| {
        positions.binary_search(&(at + 1)).is_ok() || positions.binary_search(&(at - len)).is_ok()
    };
    // No position is above 366 or below -366.
    let ends = (0..len.min(366)).chain((len - 366).max(366)..len);
    i64::try_from(ends.filter(has).count()).unwrap_or(i64::MAX)
}

/// An upper bound of the elements that BYSETPOS chooses on one day, in an interval with `a_day`
/// elements on each of its days.
fn chosen_of_a_day(positions: &[i64], a_day: i64) -> i64 {
    if positions.is_empty() {
        return a_day;
    }
    // The positions are sorted, so those of one day are adjacent.
    let day = |position: &i64| {
        let sign = position.signum();
        (sign, (position.abs() - 1) / a_day)
    };
    let most = |sign: i64| {
        let days = positions.chunk_by(|one, next| day(one) == day(next));
        let days = days.filter(|days| days.first().is_some_and(|first| first.signum() == sign));
        days.map(<[i64]>::len).max().unwrap_or_default()
    };
    i64::try_from(most(1) + most(-1)).unwrap_or(i64::MAX).min(a_day)
}
