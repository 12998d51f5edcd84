//! Moves one occurrence of a schedule and all later ones.

use super::{LocalDateTime, RecurrenceRule, RuleFault, Schedule, rule::Rest};
use crate::timestamp::Timestamp;

impl Schedule {
    /// A schedule with only the occurrences whose local start is `from` or later. Each of them
    /// moves by `by` seconds of local time and gets this duration. The new `start` is the first
    /// time of the rule at or after `from`, moved. If the rule has no such time, the new `start`
    /// is `from`, moved. An additional occurrence at `from` is left out if the new `start` is
    /// later: no occurrence may come before `start`. The new COUNT is the number of occurrences
    /// of the rule that remain. Pauses do not move.
    ///
    /// Blocks the thread for up to a third of a second with a hostile rule.
    ///
    /// # Errors
    /// When no rule can describe the moved occurrences. Example: BYDAY=MO;BYHOUR=6,22 moved by three
    /// hours would need Monday 09:00 and Tuesday 01:00. Also when an additional occurrence would come
    /// before the new start.
    pub fn continued(
        &self,
        from: LocalDateTime,
        by: i64,
        duration_minutes: u16,
    ) -> Result<Self, RuleFault> {
        let moved = |time: LocalDateTime| {
            LocalDateTime::from_seconds(time.seconds().saturating_add(by))
                .ok_or_else(|| RuleFault::new("an occurrence would leave the years 1 to 9999"))
        };
        let rest = self.rule.as_ref().and_then(|rule| self.rest(rule, from));
        let start = rest.as_ref().map_or(from, |(_, rest)| rest.start);
        if self.rdates.iter().any(|rdate| (from..start).contains(rdate) && *rdate != from) {
            return Err(RuleFault::new(
                "an additional occurrence (rdates) comes before the first remaining one of the rule",
            ));
        }
        let rule = rest.map(|(rule, rest)| rule.moved(&rest, by, &self.time_zone)).transpose()?;
        let after = |times: &[LocalDateTime], is_in: fn(&LocalDateTime, &LocalDateTime) -> bool| {
            let times = times.iter().filter(|time| is_in(time, &from));
            times.map(|time| moved(*time)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            time_zone: self.time_zone.clone(),
            start: moved(start)?,
            duration_minutes,
            rule,
            exdates: after(&self.exdates, LocalDateTime::ge)?,
            rdates: after(&self.rdates, LocalDateTime::gt)?,
            pauses: self.pauses.clone(),
        })
    }

    /// What remains of the rule: its first occurrence at or after `from`, and the later ones.
    /// `None` when nothing remains.
    fn rest<'a>(
        &self,
        rule: &'a RecurrenceRule,
        from: LocalDateTime,
    ) -> Option<(&'a RecurrenceRule, Rest)> {
        let times = rule.expand(self.start);
        let until = times.until();
        let (first, count) = times.rest(from.seconds())?;
        let is_after = |until: Timestamp| {
            self.time_zone.place(first).is_some_and(|first| first.at * 1_000 > until.millis())
        };
        if until.is_some_and(is_after) {
            return None;
        }
        let start = LocalDateTime::from_seconds(first)?;
        Some((rule, Rest { start, is_first: start == self.start, count }))
    }
}
