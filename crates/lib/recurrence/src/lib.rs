//! When something recurs: instants, local times, time zones, and the recurrence rules of RFC 5545. It
//! knows no clock, no store and no format.

mod calendar;
mod continued;
mod local;
mod occurrences;
mod rule;
mod times;
pub mod timestamp;
mod zone;

pub use local::{LocalDate, LocalDateTime};
pub use occurrences::{Occurrence, Occurrences};
pub use rule::{MAX_A_DAY, RecurrenceRule, RuleFault};
pub use timestamp::Timestamp;
pub use zone::{Offsets, TimeZone, UtcOffset};

/// When something takes place: the first time, a rule that repeats it, and exceptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The zone of all local dates and times of the schedule.
    pub time_zone: TimeZone,
    /// The first occurrence, DTSTART of RFC 5545, even if the rule does not match it.
    pub start: LocalDateTime,
    /// From the start to the end of each occurrence; 1 to 10,080 minutes, a week.
    pub duration_minutes: u16,
    /// Repeats the start; `None` for a single occurrence.
    pub rule: Option<RecurrenceRule>,
    /// Excluded occurrences, by their local start; at most 1,000.
    pub exdates: Vec<LocalDateTime>,
    /// Additional occurrences, not before the start; at most 1,000.
    pub rdates: Vec<LocalDateTime>,
    /// Days without occurrences, at most 1,000. The times of the rule on these days still count for COUNT.
    pub pauses: Vec<Pause>,
}

/// Days without occurrences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    /// The first day.
    pub from: LocalDate,
    /// The last day; not before `from`.
    pub to: LocalDate,
}

impl Schedule {
    /// The approximate memory that the schedule takes, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let Self { time_zone, start: _, duration_minutes: _, rule, exdates, rdates, pauses } = self;
        time_zone.name().len()
            + rule.as_ref().map_or(0, RecurrenceRule::heap_bytes)
            + size_of_val(exdates.as_slice())
            + size_of_val(rdates.as_slice())
            + size_of_val(pauses.as_slice())
    }
}
