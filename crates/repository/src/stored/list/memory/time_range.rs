//! A range of times, which selects blocks of an order by time.

use patrol_domain::list::Comparison;

/// A range of times in milliseconds, both included; without a bound where it is `None`.
#[derive(Default)]
pub(super) struct TimeRange {
    first: Option<i64>,
    last: Option<i64>,
}

impl TimeRange {
    /// Excludes the times that the comparison with `time` excludes.
    pub(super) fn narrow(&mut self, comparison: Comparison, time: i64) {
        let (first, last) = match comparison {
            Comparison::Equal => (Some(time), Some(time)),
            Comparison::Greater => (Some(time.saturating_add(1)), None),
            Comparison::GreaterOrEqual => (Some(time), None),
            Comparison::Less => (None, Some(time.saturating_sub(1))),
            Comparison::LessOrEqual => (None, Some(time)),
            // Not a range: the rows of this time are excluded as a part of their own.
            Comparison::NotEqual => (None, None),
        };
        self.first = self.first.max(first);
        self.last = [self.last, last].into_iter().flatten().min();
    }

    /// Whether no time of the period is in the range.
    pub(super) fn excludes(&self, from: Option<i64>, until: Option<i64>) -> bool {
        self.last.zip(from).is_some_and(|(last, from)| from > last)
            || self.first.zip(until).is_some_and(|(first, until)| until < first)
    }

    /// Whether every time of the period is in the range.
    pub(super) fn includes(&self, from: Option<i64>, until: Option<i64>) -> bool {
        self.first.is_none_or(|first| from.is_some_and(|from| from >= first))
            && self.last.is_none_or(|last| until.is_some_and(|until| until <= last))
    }
}
