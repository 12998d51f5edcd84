//! The occurrences of a schedule in UTC.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::{
    LocalDateTime, Schedule, UtcOffset,
    local::DAY,
    times::LocalTimes,
    zone::{Placed, TimeZone},
};
use crate::timestamp::Timestamp;

/// One occurrence of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The local start in the rule or in `rdates`. It identifies the occurrence in its schedule.
    pub start: LocalDateTime,
    /// The local start as clocks show it. When `start` falls into a gap of the zone, this is later
    /// by the length of the gap.
    pub local_start: LocalDateTime,
    /// The start in UTC.
    pub start_at: Timestamp,
    /// The start plus the duration of the schedule.
    pub end_at: Timestamp,
    /// Local time minus UTC at the start.
    pub utc_offset: UtcOffset,
}

/// The occurrences of a schedule in order of their start in UTC; see [`Schedule::occurrences`].
pub struct Occurrences<'a> {
    zone: &'a TimeZone,
    /// In milliseconds.
    duration: i64,
    from: Timestamp,
    times: LocalTimes<'a>,
    /// Excluded local times, sorted.
    exdates: Vec<i64>,
    /// Occurrences that were moved out of a gap, in order. The next local times may still give an
    /// occurrence that starts earlier.
    moved: VecDeque<Occurrence>,
    /// The occurrences that come next.
    ready: VecDeque<Occurrence>,
}

impl Schedule {
    /// The occurrences that start at `from` or later, in order of their start. No two start at the
    /// same time. A step takes bounded time for any rule: at most one search through 400 years, after
    /// which the calendar repeats itself.
    #[must_use]
    pub fn occurrences(&self, from: Timestamp) -> Occurrences<'_> {
        Occurrences::new(self, from)
    }

    /// The start of the first occurrence after `time`.
    #[must_use]
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        self.occurrences(time.shifted(1)?).next().map(|occurrence| occurrence.start_at)
    }
}

impl<'a> Occurrences<'a> {
    fn new(schedule: &'a Schedule, from: Timestamp) -> Self {
        let mut exdates: Vec<_> = schedule.exdates.iter().map(|time| time.seconds()).collect();
        exdates.sort_unstable();
        let mut times = LocalTimes::new(schedule);
        times.seek(from.millis().div_euclid(1_000) - TimeZone::WIDEST_OFFSET);
        Self {
            zone: &schedule.time_zone,
            duration: i64::from(schedule.duration_minutes) * 60_000,
            from,
            times,
            exdates,
            moved: VecDeque::new(),
            ready: VecDeque::new(),
        }
    }

    /// Skips the occurrences that start before `from`.
    fn skip_to(&mut self, from: Timestamp) {
        if from > self.from {
            self.from = from;
            self.times.seek(from.millis().div_euclid(1_000) - TimeZone::WIDEST_OFFSET);
        }
    }

    /// Takes the next local time, and moves the occurrences whose order is now certain to `ready`.
    /// Returns `false` at the end.
    fn step(&mut self) -> bool {
        let Some(next) = self.times.next() else { return false };
        let Some(placed) = self.zone.place(next.time) else { return false };
        let is_certain = |first: &Occurrence| first.start_at.millis() < placed.floor * 1_000;
        while let Some(first) = self.moved.front().copied().filter(is_certain) {
            self.moved.pop_front();
            self.ready.push_back(first);
        }
        let is_over = next.until.is_some_and(|until| placed.at * 1_000 > until.millis());
        let has = |time: i64| self.exdates.binary_search(&time).is_ok();
        // An exdate may name the local start in the rule, or the local start as clocks show it.
        if is_over || has(next.time) || has(placed.local) {
            return true;
        }
        let Some(occurrence) = self.occurrence(next.time, placed) else {
            // The start or the end is outside the years 0001 to 9999 in UTC. Before 1970 it is
            // too early, so go on with the next time. After 1970 all later ones are outside too,
            // so stop.
            return placed.at < 0;
        };
        if placed.moved {
            self.moved.push_back(occurrence);
            return true;
        }
        // Of two occurrences at the same time, the one that was not moved stays.
        if self.moved.front().is_some_and(|first| first.start_at == occurrence.start_at) {
            self.moved.pop_front();
        }
        self.ready.push_back(occurrence);
        true
    }

    fn occurrence(&self, time: i64, placed: Placed) -> Option<Occurrence> {
        let start_at = Timestamp::from_millis(placed.at.checked_mul(1_000)?)?;
        Some(Occurrence {
            start: LocalDateTime::from_seconds(time)?,
            local_start: LocalDateTime::from_seconds(placed.local)?,
            start_at,
            end_at: start_at.shifted(self.duration)?,
            utc_offset: UtcOffset(placed.offset),
        })
    }
}

impl Schedule {
    /// The occurrences with these local starts in the rule. Starts without an occurrence are skipped. The
    /// cost is one step for each start and for each occurrence within two days of a start, however far
    /// apart the starts are.
    #[must_use]
    pub fn occurrences_at(
        &self,
        starts: impl IntoIterator<Item = LocalDateTime>,
    ) -> HashMap<LocalDateTime, Occurrence> {
        // Local time differs from UTC by less than a day, and a gap lasts at most a day.
        const NEAR: i64 = 2 * DAY;
        let wanted: BTreeSet<_> = starts.into_iter().collect();
        let mut found = HashMap::new();
        let first = LocalDateTime::FIRST.seconds() * 1_000;
        let Some(first) = Timestamp::from_millis(first) else { return found };
        let mut occurrences = self.occurrences(first);
        let mut reached = LocalDateTime::FIRST.seconds();
        for start in &wanted {
            let near = (start.seconds() - NEAR).saturating_mul(1_000);
            if let Some(near) = Timestamp::from_millis(near) {
                occurrences.skip_to(near);
            }
            while reached <= start.seconds() + NEAR {
                let Some(occurrence) = occurrences.next() else { return found };
                reached = occurrence.start.seconds();
                if wanted.contains(&occurrence.start) {
                    found.insert(occurrence.start, occurrence);
                }
            }
        }
        found
    }
}

impl Iterator for Occurrences<'_> {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        loop {
            match self.ready.pop_front() {
                Some(occurrence) if occurrence.start_at < self.from => {}
                Some(occurrence) => return Some(occurrence),
                None => {
                    if !self.step() {
                        self.ready.append(&mut self.moved);
                        if self.ready.is_empty() {
                            return None;
                        }
                    }
                }
            }
        }
    }
}
