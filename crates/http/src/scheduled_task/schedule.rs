//! The schedule in a body.

use patrol_domain::schedule::{MAX_EXTRA, MAX_RULE};
use patrol_record::value::{LocalDate, LocalDateTime};

use crate::schema::{body, inline_schema};

pub(super) use patrol_record::read_schedule;

body! {
    /// When the rounds of a scheduled task take place. Members that are absent or null get their
    /// defaults.
    SchedulePut {
        /// An IANA name, for example `Europe/Berlin`.
        time_zone: String,
        /// The first occurrence; DTSTART of RFC 5545.
        start: LocalDateTime,
        #[schema(minimum = 1, maximum = 10_080)]
        duration_minutes: i64,
        rrule: Option<RecurrenceRule>,
        /// Excluded occurrences.
        exdates: Option<LocalDateTimes>,
        /// Additional occurrences, not before the start.
        rdates: Option<LocalDateTimes>,
        /// Days without occurrences.
        pauses: Option<PausePuts>,
    }
}

body! {
    /// Days without occurrences.
    PausePut {
        /// The first day.
        from: LocalDate,
        /// The last day.
        to: LocalDate,
    }
}

inline_schema! {
    /// A recurrence rule.
    RecurrenceRule = {
        "type": "string", "minLength": 1, "maxLength": MAX_RULE,
        "description": "A recurrence rule of RFC 5545 without `RRULE:`; absent or null for a single \
            occurrence. FREQ of SECONDLY and MINUTELY, and more than 96 occurrences a day, are refused.",
        "examples": ["FREQ=WEEKLY;BYDAY=MO,WE;COUNT=20"],
    };
    /// Local dates and times.
    LocalDateTimes = {"maxItems": MAX_EXTRA} of LocalDateTime;
    /// Days without occurrences.
    PausePuts = {"maxItems": MAX_EXTRA} of PausePut;
}
