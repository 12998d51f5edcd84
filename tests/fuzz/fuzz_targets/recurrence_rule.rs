//! Recurrence rules: for any text there is no panic. The occurrences of an accepted rule are in their
//! order, none twice, and a late look at them finds the same ones. A rule that is moved has the same
//! occurrences, moved.
#![no_main]

use libfuzzer_sys::fuzz_target;
use patrol_domain::{
    Faults, Path, Timestamp,
    schedule::{LocalDateTime, Schedule, ScheduleDraft, TimeZone},
};

const ZONES: [&str; 4] = ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "UTC"];

fuzz_target!(|input: (u8, i64, u16, &str)| {
    let (zone, start, skipped, rule) = input;
    let range = 315_537_897_600; // the seconds of the years 1 to 9999
    let start = LocalDateTime::from_seconds(start.rem_euclid(range) - 62_135_596_800);
    let draft = ScheduleDraft {
        time_zone: Some(ZONES[usize::from(zone) % ZONES.len()].to_owned()),
        start,
        duration_minutes: Some(1),
        rrule: Some(rule.to_owned()),
        ..ScheduleDraft::default()
    };
    let Some(schedule) = draft.check(&mut Faults::new(), &Path::Root) else { return };
    let first = Timestamp::from_millis(-62_135_596_800_000).expect("the year 1");
    let skipped = usize::from(skipped % 200);
    let found: Vec<_> = schedule.occurrences(first).take(skipped + 5).collect();
    assert!(found.is_sorted_by(|one, next| one.start_at < next.start_at));
    let Some(later) = found.get(skipped..).filter(|later| !later.is_empty()) else { return };
    let again = schedule.occurrences(later[0].start_at).take(later.len());
    assert_eq!(again.collect::<Vec<_>>(), later);

    // In one zone without changes of the clocks, by up to 16 hours or days.
    let schedule = Schedule { time_zone: TimeZone::named("UTC").expect("a zone"), ..schedule };
    let found = schedule.occurrences(later[0].start_at).take(5);
    let found: Vec<_> = found.map(|found| found.start.seconds()).collect();
    let by = (i64::from(zone / 4) - 32) * if skipped.is_multiple_of(2) { 1_800 } else { 43_200 };
    let Some(from) = found.first().copied().and_then(LocalDateTime::from_seconds) else { return };
    let Ok(moved) = schedule.continued(from, by, 1) else { return };
    let moved = moved.occurrences(first).take(found.len());
    let moved: Vec<_> = moved.map(|moved| moved.start.seconds() - by).collect();
    // A day of the month that the start implies moves with it, also in other months.
    let upper = rule.to_ascii_uppercase();
    let has_implied_day = ["MONTHLY", "YEARLY"].iter().any(|name| upper.contains(name));
    assert!(moved == found || (by != 0 && has_implied_day), "{moved:?}, not {found:?}");
});
