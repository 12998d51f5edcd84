//! The local times of a schedule: those of its rule and the additional ones, without pauses.

use std::{iter::Peekable, vec};

use super::{Pause, Schedule, local::DAY, rule::Expander};
use crate::timestamp::Timestamp;

/// Distinct local times in ascending order, in seconds since 1970-01-01T00:00:00.
pub(super) struct LocalTimes<'a> {
    rule: Option<Expander<'a>>,
    next_of_rule: Option<i64>,
    /// UNTIL of the rule, if it is in UTC.
    until: Option<Timestamp>,
    /// Additional times and the start, sorted.
    rdates: Peekable<vec::IntoIter<i64>>,
    /// The first second of each pause and the first second after it. The pauses are sorted; they
    /// neither overlap nor touch.
    pauses: Peekable<vec::IntoIter<(i64, i64)>>,
}

/// A local time of a schedule.
pub(super) struct LocalTime {
    /// In seconds since 1970-01-01T00:00:00.
    pub(super) time: i64,
    /// UNTIL of the rule: a local time after this instant is not an occurrence. `None` when no
    /// UNTIL in UTC applies.
    pub(super) until: Option<Timestamp>,
}

impl<'a> LocalTimes<'a> {
    pub(super) fn new(schedule: &'a Schedule) -> Self {
        let start = schedule.start;
        let rule = schedule.rule.as_ref().map(|rule| rule.expand(start));
        let mut rdates: Vec<_> = schedule.rdates.iter().map(|time| time.seconds()).collect();
        rdates.push(start.seconds());
        rdates.sort_unstable();
        Self {
            until: rule.as_ref().and_then(Expander::until),
            rule,
            next_of_rule: None,
            rdates: rdates.into_iter().peekable(),
            pauses: merge(&schedule.pauses).into_iter().peekable(),
        }
    }

    /// Skips the times before this one.
    pub(super) fn seek(&mut self, time: i64) {
        self.next_of_rule = self.next_of_rule.filter(|next| *next >= time);
        if let Some(rule) = &mut self.rule {
            rule.seek(time);
        }
        while self.rdates.next_if(|rdate| *rdate < time).is_some() {}
    }
}

impl Iterator for LocalTimes<'_> {
    type Item = LocalTime;

    fn next(&mut self) -> Option<LocalTime> {
        loop {
            if self.next_of_rule.is_none() {
                self.next_of_rule = self.rule.as_mut().and_then(Iterator::next);
            }
            let time = match (self.next_of_rule, self.rdates.peek().copied()) {
                (Some(of_rule), Some(rdate)) => of_rule.min(rdate),
                (of_rule, rdate) => of_rule.or(rdate)?,
            };
            while self.pauses.next_if(|(_, end)| *end <= time).is_some() {}
            if let Some((_, end)) = self.pauses.peek().copied().filter(|(from, _)| *from <= time) {
                self.seek(end);
                continue;
            }
            self.next_of_rule = self.next_of_rule.filter(|next| *next != time);
            let mut is_added = false;
            while self.rdates.next_if_eq(&time).is_some() {
                is_added = true;
            }
            return Some(LocalTime { time, until: self.until.filter(|_| !is_added) });
        }
    }
}

/// The pauses in seconds, sorted. Pauses that overlap or touch are merged into one.
fn merge(pauses: &[Pause]) -> Vec<(i64, i64)> {
    let seconds = |pause: &Pause| (pause.from.days() * DAY, (pause.to.days() + 1) * DAY);
    let mut sorted: Vec<_> = pauses.iter().map(seconds).collect();
    sorted.sort_unstable();
    sorted.dedup_by(|next, merged| {
        let touches = next.0 <= merged.1;
        if touches {
            merged.1 = merged.1.max(next.1);
        }
        touches
    });
    sorted
}
