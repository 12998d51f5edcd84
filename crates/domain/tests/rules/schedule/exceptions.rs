//! Excluded and additional occurrences, pauses, and the ends of rules.

use patrol_domain::schedule::{LocalDate, PauseDraft, ScheduleDraft};
use proptest::prelude::*;

use super::{all, checked, draft, instant, local, local_starts, schedule};

fn pause(from: &str, to: &str) -> PauseDraft {
    PauseDraft { from: LocalDate::parse(from), to: LocalDate::parse(to) }
}

fn days(draft: &ScheduleDraft) -> Vec<String> {
    let schedule = checked(draft);
    let starts = local_starts(all(&schedule).take(20));
    assert!(starts.iter().all(|start| start.starts_with("2026-12-")), "{starts:?}");
    starts.iter().map(|start| start[8..].trim_end_matches(":00").to_owned()).collect()
}

fn daily(count: u32) -> ScheduleDraft {
    let rule = format!("FREQ=DAILY;COUNT={count}");
    draft("Europe/Berlin", "2026-12-01T22:00:00", Some(&rule))
}

#[test]
fn a_schedule_without_a_rule_is_one_round() {
    let one = checked(&draft("Europe/Berlin", "2026-12-01T22:00:00", None));
    let [only] = all(&one).collect::<Vec<_>>()[..] else { panic!("not one round") };
    assert_eq!(only.start, local("2026-12-01T22:00:00"));
    assert_eq!(only.start_at, instant("2026-12-01T21:00:00Z"));
    assert_eq!(only.end_at, instant("2026-12-01T22:00:00Z"));
    assert_eq!(only.utc_offset.to_string(), "+01:00");
    assert_eq!(one.next_after(instant("2026-12-01T20:59:59.999Z")), Some(only.start_at));
    assert_eq!(one.next_after(only.start_at), None);
    assert_eq!(one.occurrences(only.start_at).count(), 1);
    assert_eq!(one.occurrences(only.start_at.shifted(1).unwrap()).count(), 0);
}

#[test]
fn the_start_is_the_first_occurrence_and_counts_also_when_the_rule_does_not_match_it() {
    // 2026-12-01 is a Tuesday.
    let rule = |text| draft("Europe/Berlin", "2026-12-01T22:00:00", Some(text));
    assert_eq!(days(&rule("FREQ=WEEKLY;BYDAY=MO;COUNT=3")), ["01T22", "07T22", "14T22"]);
    assert_eq!(days(&rule("FREQ=WEEKLY;BYDAY=MO;COUNT=1")), ["01T22"]);
    assert_eq!(days(&rule("FREQ=DAILY;BYHOUR=8;COUNT=2")), ["01T22", "02T08"]);
    assert_eq!(days(&rule("FREQ=WEEKLY;UNTIL=20201207T220000")), ["01T22"]);
    assert_eq!(days(&rule("FREQ=WEEKLY;UNTIL=20201207T220000Z")), ["01T22"]);
}

#[test]
fn until_is_included_in_utc_and_in_local_time() {
    let rule = |until: &str| {
        let rule = format!("FREQ=DAILY;UNTIL={until}");
        days(&draft("Europe/Berlin", "2026-12-01T22:00:00", Some(&rule)))
    };
    assert_eq!(rule("20261202T210000Z"), ["01T22", "02T22"]);
    assert_eq!(rule("20261202T205959Z"), ["01T22"]);
    assert_eq!(rule("20261202T220000"), ["01T22", "02T22"]);
    assert_eq!(rule("20261202T215959"), ["01T22"]);
}

#[test]
fn excluded_and_paused_occurrences_count_for_count() {
    let exdates = vec![local("2026-12-01T22:00:00"), local("2026-12-03T22:00:00")];
    let excluded = ScheduleDraft { exdates, ..daily(4) };
    assert_eq!(days(&excluded), ["02T22", "04T22"]);
    let pauses = vec![pause("2026-12-03", "2026-12-04"), pause("2026-12-02", "2026-12-03")];
    let paused = ScheduleDraft { pauses, ..daily(6) };
    assert_eq!(days(&paused), ["01T22", "05T22", "06T22"]);
}

#[test]
fn additional_occurrences_do_not_count_and_are_none_twice() {
    let rdates = ["2026-12-02T08:00:00", "2026-12-02T22:00:00", "2026-12-20T08:00:00"].map(local);
    let added = ScheduleDraft { rdates: rdates.to_vec(), ..daily(3) };
    assert_eq!(days(&added), ["01T22", "02T08", "02T22", "03T22", "20T08"]);
    let exdates = vec![local("2026-12-20T08:00:00")];
    let pauses = vec![pause("2026-12-02", "2026-12-02")];
    assert_eq!(days(&ScheduleDraft { exdates, pauses, ..added }), ["01T22", "03T22"]);
}

#[test]
fn byday_with_and_without_numbers_is_one_list() {
    let rule = schedule("UTC", "2026-12-01T00:00:00", "FREQ=MONTHLY;BYDAY=SU,1TU;COUNT=5");
    let starts = local_starts(all(&rule));
    let days: Vec<_> = starts.iter().map(|start| &start[8..10]).collect();
    assert_eq!(days, ["01", "06", "13", "20", "27"]);
}

#[test]
fn weeks_are_those_of_iso_8601_within_the_calendar_year() {
    let days = |rule: &str, many: usize| {
        let rule = schedule("UTC", "2003-06-01T00:00:00", rule);
        local_starts(all(&rule).skip(1).take(many))
            .iter()
            .map(|day| day[..10].to_owned())
            .collect::<Vec<_>>()
    };
    // The years with 53 weeks: the Thursday of the last one is in the year itself.
    let thursdays =
        ["2004-12-30", "2009-12-31", "2015-12-31", "2020-12-31", "2026-12-31", "2032-12-30"];
    assert_eq!(days("FREQ=YEARLY;BYWEEKNO=53;BYDAY=TH", 6), thursdays);
    // Its Sunday is in the next one.
    let sundays = ["2005-01-02", "2010-01-03", "2016-01-03", "2021-01-03", "2027-01-03"];
    assert_eq!(days("FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU", 5), sundays);
    let last = ["2003-12-28", "2005-01-02", "2006-01-01", "2006-12-31", "2007-12-30"];
    assert_eq!(days("FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU", 5), last);
    // The first week of 2004 begins on 29 December 2003; it is also the 53rd from its end.
    let first = ["2003-12-29", "2003-12-30", "2003-12-31", "2004-01-01"];
    assert_eq!(days("FREQ=YEARLY;BYWEEKNO=1", 4), first);
    assert_eq!(days("FREQ=YEARLY;BYWEEKNO=-53", 4), first);
}

/// Rules of all kinds with their exceptions, from 2020 to 2022.
fn schedules() -> impl Strategy<Value = ScheduleDraft> {
    let rules = prop::sample::select(vec![
        "FREQ=HOURLY",
        "FREQ=HOURLY;INTERVAL=7;BYHOUR=1,2,3,14;BYMINUTE=0,30",
        "FREQ=DAILY;INTERVAL=3",
        "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=30,45;BYMONTH=3,10",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,WE;WKST=WE",
        "FREQ=WEEKLY;BYDAY=SU,TU,FR;BYSETPOS=-1,2",
        "FREQ=MONTHLY;BYDAY=-1SU,2WE",
        "FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=31,-1",
        "FREQ=YEARLY;BYWEEKNO=1,53",
        "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU;BYHOUR=1,2,3",
    ]);
    let ends = prop_oneof![
        Just(String::new()),
        (1_u32..3_000).prop_map(|count| format!(";COUNT={count}")),
        Just(";UNTIL=20210704T020000Z".to_owned()),
        Just(";UNTIL=20211031T020000".to_owned()),
    ];
    let first = local("2020-01-01T00:00:00").seconds();
    let time = move |hours: i64| {
        patrol_domain::schedule::LocalDateTime::from_seconds(first + hours * 3_600)
    };
    let times = move || {
        prop::collection::vec((800_i64..17_000).prop_map(move |at| time(at).unwrap()), 0..9)
    };
    let pauses = prop::collection::vec((0_i64..700, 0_i64..200), 0..4);
    let zones =
        prop::sample::select(vec!["Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"]);
    (rules, ends, zones, 0_i64..800, times(), times(), pauses).prop_map(
        move |(rule, end, zone, start, exdates, rdates, pauses)| {
            let date = |days: i64| time(days * 24).map(|time| time.date());
            let pauses = pauses.iter();
            ScheduleDraft {
                start: time(start),
                exdates,
                rdates,
                pauses: pauses
                    .map(|(from, days)| PauseDraft { from: date(*from), to: date(from + days) })
                    .collect(),
                ..draft(zone, "2020-01-01T00:00:00", Some(&format!("{rule}{end}")))
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn occurrences_from_a_time_are_those_of_all_that_are_not_before_it(
        draft in schedules(),
        hours in 0_i64..20_000,
    ) {
        let schedule = checked(&draft);
        let from = instant("2020-01-01T00:00:00Z").shifted(hours * 3_600_000).unwrap();
        let later: Vec<_> = schedule.occurrences(from).take(30).collect();
        let of_all: Vec<_> =
            all(&schedule).skip_while(|one| one.start_at < from).take(30).collect();
        prop_assert_eq!(&later, &of_all);
        prop_assert!(later.is_sorted_by(|one, next| one.start_at < next.start_at));
    }

    #[test]
    fn exceptions_only_remove_and_add_what_they_name(draft in schedules()) {
        let plain = ScheduleDraft {
            exdates: Vec::new(), rdates: Vec::new(), pauses: Vec::new(), ..draft.clone()
        };
        let (schedule, plain) = (checked(&draft), checked(&plain));
        let end = local("2022-06-01T00:00:00");
        let of = |schedule: &patrol_domain::schedule::Schedule| -> Vec<_> {
            all(schedule).take_while(|one| one.start < end).map(|one| one.start).collect()
        };
        let mut expected: Vec<_> = of(&plain);
        expected.extend(&schedule.rdates);
        expected.retain(|start| {
            let is_paused = |pause: &patrol_domain::schedule::Pause| {
                (pause.from..=pause.to).contains(&start.date())
            };
            !schedule.exdates.contains(start) && !schedule.pauses.iter().any(is_paused)
        });
        expected.sort_unstable();
        expected.dedup();
        // Times in a gap, which may be one with others, are tested elsewhere.
        let is_plain = |start: &patrol_domain::schedule::LocalDateTime| {
            !matches!(start.seconds().rem_euclid(86_400) / 3_600, 2..=3)
        };
        expected.retain(is_plain);
        let mut found = of(&schedule);
        found.retain(is_plain);
        found.sort_unstable();
        prop_assert_eq!(found, expected);
    }
}
