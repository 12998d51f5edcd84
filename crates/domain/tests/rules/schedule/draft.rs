//! The field rules of schedules.

use patrol_domain::{
    Fault, Faults, Path, Rule,
    schedule::{LocalDate, PauseDraft, ScheduleDraft, TimeZone},
};

use super::{checked, draft, local};

fn faults(draft: &ScheduleDraft) -> Vec<(String, Rule)> {
    let mut faults = Faults::new();
    let schedule = draft.check(&mut faults, &Path::Root.field("schedule"));
    assert_eq!(schedule.is_none(), !faults.is_empty(), "{draft:?}");
    faults.into_vec().into_iter().map(|Fault { identifier, rule }| (identifier, rule)).collect()
}

fn fault(path: &str, rule: Rule) -> Vec<(String, Rule)> {
    vec![(format!("schedule.{path}"), rule)]
}

fn valid() -> ScheduleDraft {
    draft("Europe/Berlin", "2026-12-01T22:00:00", None)
}

fn pause(from: &str, to: &str) -> PauseDraft {
    PauseDraft { from: LocalDate::parse(from), to: LocalDate::parse(to) }
}

#[test]
fn required_members_are_named_in_their_order() {
    let mut found = fault("timeZone", Rule::NotNull);
    found.extend(fault("start", Rule::NotNull));
    found.extend(fault("durationMinutes", Rule::NotNull));
    assert_eq!(faults(&ScheduleDraft::default()), found);
    let pauses = vec![PauseDraft::default()];
    let mut found = fault("pauses[0].from", Rule::NotNull);
    found.extend(fault("pauses[0].to", Rule::NotNull));
    assert_eq!(faults(&ScheduleDraft { pauses, ..valid() }), found);
}

#[test]
fn the_time_zone_is_an_iana_name() {
    for name in ["Europe/Berlin", "Europe/Kiev", "Europe/Kyiv", "UTC", "Etc/UTC", "EST5EDT"] {
        let schedule = checked(&ScheduleDraft { time_zone: Some(name.to_owned()), ..valid() });
        assert_eq!(schedule.time_zone.name(), name);
    }
    let unknown =
        ["", "Europe/Bonn", "europe/berlin", "+02:00", "CEST", "Etc/Unknown", "\0", "../UTC"];
    for name in unknown {
        assert!(TimeZone::named(name).is_none(), "{name}");
        let draft = ScheduleDraft { time_zone: Some(name.to_owned()), ..valid() };
        assert_eq!(faults(&draft), fault("timeZone", Rule::Enum(&[])), "{name}");
    }
}

#[test]
fn the_duration_is_a_minute_to_a_week() {
    for minutes in [1, 10_080] {
        let draft = ScheduleDraft { duration_minutes: Some(minutes), ..valid() };
        assert_eq!(i64::from(checked(&draft).duration_minutes), minutes);
    }
    for minutes in [i64::MIN, -1, 0, 10_081, 65_537, i64::MAX] {
        let draft = ScheduleDraft { duration_minutes: Some(minutes), ..valid() };
        let range = Rule::Range { min: 1, max: 10_080 };
        assert_eq!(faults(&draft), fault("durationMinutes", range), "{minutes}");
    }
}

#[test]
fn additional_occurrences_are_not_before_the_start() {
    let times = ["2026-12-01T22:00:00", "2026-12-01T21:59:59", "2026-12-05T10:00:00"].map(local);
    let rdates = times.to_vec();
    let draft = ScheduleDraft { rdates: rdates.clone(), ..valid() };
    assert_eq!(faults(&draft), fault("rdates[1]", Rule::Period));
    // An excluded one may be; without a start there is nothing to compare with.
    checked(&ScheduleDraft { exdates: rdates.clone(), ..valid() });
    let draft = ScheduleDraft { start: None, rdates, ..valid() };
    assert_eq!(faults(&draft), fault("start", Rule::NotNull));
}

#[test]
fn at_most_a_thousand_occurrences_are_excluded_or_added() {
    let first = local("2026-12-01T22:00:00");
    let times = |many: i64| -> Vec<_> {
        let seconds = (0..many).map(|past| first.seconds() + past);
        seconds
            .map(|at| patrol_domain::schedule::LocalDateTime::from_seconds(at).unwrap())
            .collect()
    };
    checked(&ScheduleDraft { exdates: times(1_000), rdates: times(1_000), ..valid() });
    let draft = ScheduleDraft { exdates: times(1_001), rdates: times(1_001), ..valid() };
    let mut found = fault("exdates", Rule::Length { min: 0, max: 1_000 });
    found.extend(fault("rdates", Rule::Length { min: 0, max: 1_000 }));
    assert_eq!(faults(&draft), found);
    let twice = vec![first, local("2026-12-03T22:00:00"), first];
    let schedule = checked(&ScheduleDraft { exdates: twice, ..valid() });
    assert_eq!(schedule.exdates, [first, local("2026-12-03T22:00:00")]);
}

#[test]
fn a_pause_does_not_end_before_it_begins() {
    let pauses = vec![pause("2026-12-24", "2026-12-24"), pause("2026-12-24", "2026-12-23")];
    let draft = ScheduleDraft { pauses, ..valid() };
    assert_eq!(faults(&draft), fault("pauses[1].to", Rule::Period));
}

#[test]
fn a_schedule_has_at_most_a_thousand_pauses() {
    let day = pause("2026-12-24", "2026-12-24");
    assert_eq!(checked(&ScheduleDraft { pauses: vec![day; 1_000], ..valid() }).pauses.len(), 1_000);
    let draft = ScheduleDraft { pauses: vec![day; 1_001], ..valid() };
    assert_eq!(faults(&draft), fault("pauses", Rule::Length { min: 0, max: 1_000 }));
}

#[test]
fn a_rule_is_checked_at_its_member() {
    let mut draft = ScheduleDraft { rrule: Some("FREQ=MINUTELY".to_owned()), ..valid() };
    let found = faults(&draft);
    assert!(
        matches!(&found[..], [(path, Rule::Recurrence(fault))]
            if path == "schedule.rrule" && fault.to_string() == "FREQ=MINUTELY is not allowed"),
        "{found:?}"
    );
    draft.rrule = Some(format!("FREQ=DAILY;BYMONTH={}", "1,".repeat(5_000)));
    assert_eq!(faults(&draft), fault("rrule", Rule::Length { min: 1, max: 10_000 }));
}
