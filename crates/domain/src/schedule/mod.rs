//! Schedules: when the rounds of a scheduled task take place. `docs/api/schedules.md` has the
//! rules, ADR 37 their reasons.

mod draft;

pub use draft::{MAX_DURATION_MINUTES, MAX_EXTRA, MAX_RULE, PauseDraft, ScheduleDraft};
pub use patrol_recurrence::{
    LocalDate, LocalDateTime, MAX_A_DAY, Occurrence, Occurrences, Offsets, Pause, RecurrenceRule,
    RuleFault, Schedule, TimeZone, UtcOffset,
};
