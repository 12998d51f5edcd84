//! Rules that would take long if each interval were looked at. What the tests bound is their number
//! of steps: without the bounds they would run for minutes.

use patrol_domain::schedule::{LocalDate, PauseDraft, ScheduleDraft};

use super::{all, checked, draft, instant, local_starts, schedule};

const FIRST: &str = "0001-01-01T00:00:00";

#[test]
fn rules_without_any_occurrence_end_after_the_start() {
    for rule in [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;BYMONTH=4;BYMONTHDAY=31",
        "FREQ=HOURLY;BYYEARDAY=1;BYMONTH=2",
        "FREQ=HOURLY;BYYEARDAY=366;BYMONTHDAY=30",
        "FREQ=HOURLY;INTERVAL=2;BYHOUR=1,3,5",
        "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6",
        "FREQ=YEARLY;BYDAY=53MO;BYMONTH=2",
        "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=366,-366",
        "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
        "FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29;COUNT=99999999999",
        "FREQ=YEARLY;INTERVAL=99999999999999999999",
        "FREQ=HOURLY;INTERVAL=99999999999999999999",
    ] {
        let start = if rule.contains("INTERVAL=100;") { "1900-01-01T00:00:00" } else { FIRST };
        let schedule = schedule("UTC", start, rule);
        let found = all(&schedule).take(2).count();
        // A leap year every hundred years is every fourth one: the rule has occurrences after all.
        assert_eq!(found, 1 + usize::from(rule.contains("INTERVAL=100;")), "{rule}");
    }
}

#[test]
fn a_late_look_at_an_early_start_skips_what_is_between() {
    let late = instant("9000-01-01T00:00:00Z");
    for rule in
        ["FREQ=HOURLY;BYMINUTE=0,15,30,45", "FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY"]
    {
        for end in ["", ";COUNT=4000000000", ";COUNT=99999999999999999999"] {
            let schedule = schedule("Europe/Berlin", FIRST, &format!("{rule}{end}"));
            let found: Vec<_> = schedule.occurrences(late).take(1_000).collect();
            assert_eq!(found.len(), 1_000, "{rule}{end}");
            assert!(found[0].start_at >= late);
        }
        let schedule = schedule("Europe/Berlin", FIRST, &format!("{rule};COUNT=100000"));
        assert_eq!(schedule.occurrences(late).count(), 0, "{rule}");
    }
}

#[test]
fn what_is_skipped_is_counted_exactly() {
    // 3,652,059 days are in the years 1 to 9999; one more than to 9999-12-31 is not reached.
    for (rule, days) in [("FREQ=DAILY", 3_652_059_u64), ("FREQ=HOURLY;INTERVAL=24", 3_652_059)] {
        let last = instant("9999-12-30T00:00:00Z");
        for (count, left) in [(days - 2, 0), (days - 1, 1), (days, 2), (days + 1, 2)] {
            let schedule = schedule("UTC", FIRST, &format!("{rule};COUNT={count}"));
            // The one that starts on the last day ends within the year 9999, too.
            assert_eq!(schedule.occurrences(last).count(), left, "{rule};COUNT={count}");
        }
    }
    // 97 leap days are in 400 years; from the year 4 to 9996 there are 2,424.
    let rule = "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29";
    for (count, left) in [(2_423, 0), (2_424, 1), (2_425, 1)] {
        let schedule = schedule("UTC", "0004-02-29T00:00:00", &format!("{rule};COUNT={count}"));
        assert_eq!(schedule.occurrences(instant("9996-02-01T00:00:00Z")).count(), left, "{count}");
    }
}

#[test]
fn pauses_of_thousands_of_years_are_skipped() {
    let date = |text| LocalDate::parse(text);
    let pauses = vec![PauseDraft { from: date("1970-01-02"), to: date("9998-12-31") }];
    for end in ["", ";COUNT=99999999999"] {
        let rule = format!("FREQ=HOURLY{end}");
        let draft = draft("Asia/Kathmandu", "1970-01-01T00:00:00", Some(&rule));
        let schedule = checked(&ScheduleDraft { pauses: pauses.clone(), ..draft });
        let found = local_starts(all(&schedule).take(26));
        assert_eq!(found.len(), 26);
        assert_eq!(found[23..25], ["1970-01-01T23:00:00", "9999-01-01T00:00:00"]);
    }
}

#[test]
fn positions_in_huge_sets_are_found_without_the_set() {
    let numbers = (0..60).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let hours = (0..24).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let times = format!("BYHOUR={hours};BYMINUTE={numbers};BYSECOND={numbers}");
    let rule =
        format!("FREQ=YEARLY;{times};BYMONTH=1,12;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1,-1,366");
    let found = local_starts(all(&schedule("UTC", "2026-01-01T00:00:00", &rule)).take(4));
    let expected = [
        "2026-01-01T00:00:00",
        "2026-01-01T00:06:05",
        "2026-12-31T23:59:59",
        "2027-01-01T00:00:00",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_first_and_the_last_times_of_the_calendar_end_a_rule() {
    // In UTC these times are in the years 0 and 10000.
    let early = schedule("Pacific/Kiritimati", FIRST, "FREQ=DAILY;COUNT=3");
    assert!(all(&early).count() < 4);
    let late = schedule("America/New_York", "9999-12-30T22:00:00", "FREQ=DAILY");
    assert_eq!(all(&late).count(), 1);
    assert_eq!(late.occurrences(patrol_domain::Timestamp::LAST).count(), 0);
}
