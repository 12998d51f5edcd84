//! Schedules: which are valid, and when their rounds take place.

mod continued;
mod draft;
mod examples;
mod exceptions;
mod gaps;
mod hostile;
mod random;
mod refused;

use patrol_domain::{
    Faults, Path, Timestamp,
    schedule::{LocalDateTime, Occurrence, Schedule, ScheduleDraft},
};

pub(crate) fn local(text: &str) -> LocalDateTime {
    LocalDateTime::parse(text).unwrap_or_else(|| panic!("{text} is no local time"))
}

pub(crate) fn instant(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap_or_else(|| panic!("{text} is no timestamp"))
}

/// A draft of rounds of an hour.
pub(crate) fn draft(zone: &str, start: &str, rule: Option<&str>) -> ScheduleDraft {
    ScheduleDraft {
        time_zone: Some(zone.to_owned()),
        start: Some(local(start)),
        duration_minutes: Some(60),
        rrule: rule.map(str::to_owned),
        ..ScheduleDraft::default()
    }
}

pub(crate) fn checked(draft: &ScheduleDraft) -> Schedule {
    let mut faults = Faults::new();
    let schedule = draft.check(&mut faults, &Path::Root.field("schedule"));
    assert!(faults.is_empty(), "{draft:?}: {faults:?}");
    schedule.unwrap()
}

pub(crate) fn schedule(zone: &str, start: &str, rule: &str) -> Schedule {
    checked(&draft(zone, start, Some(rule)))
}

/// All occurrences from the first possible time.
pub(crate) fn all(schedule: &Schedule) -> impl Iterator<Item = Occurrence> + '_ {
    schedule.occurrences(instant("0001-01-01T00:00:00Z"))
}

/// The shown local starts of occurrences.
pub(crate) fn local_starts(occurrences: impl Iterator<Item = Occurrence>) -> Vec<String> {
    occurrences.map(|occurrence| occurrence.local_start.to_string()).collect()
}
