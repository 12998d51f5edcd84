//! The next time of a plan: Tuesdays and Fridays at 22:00 in Riga.
#![allow(clippy::expect_used, reason = "a test reports by panicking")]

use patrol_recurrence::{LocalDateTime, RecurrenceRule, Schedule, TimeZone, Timestamp};

#[test]
fn the_next_round_is_on_friday_at_ten_in_the_evening() {
    let schedule = Schedule {
        time_zone: TimeZone::named("Europe/Riga").expect("a known zone"),
        start: LocalDateTime::parse("2026-12-01T22:00:00").expect("a local time"),
        duration_minutes: 60,
        rule: Some(RecurrenceRule::parse("FREQ=WEEKLY;BYDAY=TU,FR").expect("a rule")),
        exdates: Vec::new(),
        rdates: Vec::new(),
        pauses: Vec::new(),
    };
    let from = Timestamp::parse("2026-12-02T00:00:00Z").expect("a time");
    let next = schedule.occurrences(from).next().expect("an occurrence");
    assert_eq!(next.start_at.to_string(), "2026-12-04T20:00:00.000Z");
}
