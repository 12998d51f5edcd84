//! Schedules whose occurrences move from one of them on.

use patrol_domain::schedule::{LocalDateTime, Occurrence, PauseDraft, Schedule};

use super::{all, checked, draft, local, schedule};

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

fn rule(schedule: &Schedule) -> Option<&str> {
    schedule.rule.as_ref().map(patrol_domain::schedule::RecurrenceRule::text)
}

/// The rule that continues this one from `from` on, `by` seconds later.
fn continued(start: &str, text: &str, from: &str, by: i64) -> Result<String, String> {
    let continued = schedule("UTC", start, text).continued(local(from), by, 60);
    let continued = continued.map_err(|fault| fault.to_string())?;
    Ok(format!("{} {}", continued.start, rule(&continued).unwrap_or("once")))
}

#[test]
fn a_rule_says_the_new_times() {
    let start = "2026-11-02T06:30:00";
    for (text, from, by, expected) in [
        ("FREQ=DAILY", "2026-11-05T06:30:00", HOUR, "2026-11-05T07:30:00 FREQ=DAILY"),
        ("FREQ=DAILY;COUNT=10", "2026-11-05T06:30:00", 0, "2026-11-05T06:30:00 FREQ=DAILY;COUNT=7"),
        ("FREQ=DAILY;COUNT=10", start, HOUR, "2026-11-02T07:30:00 FREQ=DAILY;COUNT=10"),
        (
            "freq=daily;byhour=6,14,22;until=20270101T000000",
            "2026-11-02T14:30:00",
            3 * HOUR,
            "2026-11-02T17:30:00 freq=daily;byhour=1,9,17;until=20270101T030000",
        ),
        (
            "FREQ=DAILY;BYHOUR=6,14;UNTIL=20270101T000000Z",
            "2026-11-02T06:30:00",
            -HOUR,
            "2026-11-02T05:30:00 FREQ=DAILY;BYHOUR=5,13;UNTIL=20261231T230000Z",
        ),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
            "2026-11-08T06:30:00",
            DAY,
            "2026-11-09T06:30:00 FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU;WKST=TU",
        ),
        (
            "FREQ=WEEKLY;WKST=SU;BYDAY=MO;BYHOUR=22",
            "2026-11-09T22:30:00",
            3 * HOUR,
            "2026-11-10T01:30:00 FREQ=WEEKLY;BYDAY=TU;BYHOUR=1;WKST=MO",
        ),
        (
            "FREQ=HOURLY;BYMINUTE=30,50",
            "2026-11-02T08:50:00",
            900,
            "2026-11-02T09:05:00 FREQ=HOURLY;BYMINUTE=5,45",
        ),
        ("FREQ=MONTHLY", "2026-12-02T06:30:00", DAY, "2026-12-03T06:30:00 FREQ=MONTHLY"),
        (
            "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-3,2,27;BYHOUR=22",
            "2026-11-02T22:30:00",
            3 * HOUR,
            "2026-11-03T01:30:00 FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=3,28,-2;BYHOUR=1",
        ),
        (
            "FREQ=YEARLY;BYMONTH=1,11;BYMONTHDAY=15",
            "2026-11-15T06:30:00",
            -14 * DAY,
            "2026-11-01T06:30:00 FREQ=YEARLY;BYMONTH=1,11;BYMONTHDAY=1",
        ),
    ] {
        assert_eq!(continued(start, text, from, by), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn times_and_days_that_no_rule_can_say_are_refused() {
    let start = "2026-11-02T06:00:00";
    for (text, by, expected) in [
        ("FREQ=DAILY;BYHOUR=6,22;BYDAY=MO", 3 * HOUR, "times of day"),
        ("FREQ=DAILY;BYHOUR=6,22;INTERVAL=2", 3 * HOUR, "times of day"),
        ("FREQ=DAILY;BYHOUR=6,22;BYMINUTE=0,45", 1_800, "times of day"),
        ("FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,45", 1_800, "times of day"),
        ("FREQ=MONTHLY;BYHOUR=6,22", 3 * HOUR, "times of day"),
        ("FREQ=MONTHLY;BYDAY=1MO", DAY, "days"),
        ("FREQ=MONTHLY;BYDAY=MO", DAY, "days"),
        ("FREQ=MONTHLY;BYMONTHDAY=2,28", DAY, "days"),
        ("FREQ=MONTHLY;BYMONTHDAY=2,-1", DAY, "days"),
        ("FREQ=MONTHLY;BYMONTHDAY=2,29", -DAY, "days"),
        ("FREQ=MONTHLY;BYMONTHDAY=2;BYDAY=MO", DAY, "days"),
        ("FREQ=YEARLY;BYWEEKNO=45", DAY, "days"),
        ("FREQ=DAILY;BYMONTH=11", DAY, "days"),
        ("FREQ=DAILY;UNTIL=99991231T230000", 2 * HOUR, "UNTIL"),
    ] {
        let refused = continued(start, text, start, by).unwrap_err();
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    let text = "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2";
    let refused = continued(start, text, "2026-11-04T06:00:00", 0).unwrap_err();
    let expected =
        "a rule with FREQ=WEEKLY and BYSETPOS cannot be split: its first week would change";
    assert_eq!(refused, expected);
    // The first occurrence, which need not match the rule, would change its day or hour, and the others not.
    for (text, by) in [
        ("FREQ=WEEKLY;BYHOUR=9", -2 * HOUR),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=9", -2 * HOUR),
        ("FREQ=DAILY;INTERVAL=3;BYHOUR=9", -2 * HOUR),
        ("FREQ=MONTHLY;BYHOUR=9", -2 * HOUR),
        ("FREQ=YEARLY;BYMONTH=11;BYHOUR=9", -2 * HOUR),
        ("FREQ=HOURLY;INTERVAL=2;BYMINUTE=50", 900),
    ] {
        let start = "2026-11-02T01:00:00";
        let refused = continued(start, text, start, by).unwrap_err();
        assert!(refused.contains("times of day"), "{text}: {refused}");
    }
    let start = "2026-11-02T01:00:00";
    for text in [
        "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9",
        "FREQ=DAILY;BYHOUR=9",
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0,30;BYSETPOS=1",
        "FREQ=MONTHLY;BYMONTHDAY=2;BYHOUR=9",
    ] {
        let moved = format!("2026-11-01T23:00:00 {}", text.replace("=9", "=7"));
        assert_eq!(continued(start, text, start, -2 * HOUR), Ok(moved));
    }
    // The day that the start implies is one that not every month has.
    for (start, text, by) in [
        ("2026-11-01T06:00:00", "FREQ=MONTHLY", -DAY),
        ("2026-11-28T06:00:00", "FREQ=MONTHLY", DAY),
        ("2026-10-31T06:00:00", "FREQ=MONTHLY", -7 * DAY),
        ("2026-11-02T06:00:00", "FREQ=MONTHLY", 30 * DAY),
        ("2027-02-28T06:00:00", "FREQ=YEARLY", DAY),
    ] {
        let refused = continued(start, text, start, by).unwrap_err();
        assert!(refused.contains("days"), "{start} {text}: {refused}");
    }
}

#[test]
fn the_end_in_utc_moves_in_local_time() {
    let start = local("2026-10-20T22:00:00");
    let before = schedule("Europe/Berlin", &start.to_string(), "FREQ=DAILY;UNTIL=20261024T200000Z");
    let moved = before.continued(start, DAY, 60).unwrap();
    assert_eq!(rule(&moved), Some("FREQ=DAILY;UNTIL=20261025T210000Z"));
    assert_eq!(all(&moved).count(), 5);
}

#[test]
fn an_end_in_a_repeated_hour_stays_when_nothing_moves() {
    let start = local("2026-10-23T02:45:00");
    let text = "FREQ=DAILY;UNTIL=20261025T013000Z";
    let before = schedule("Europe/Berlin", &start.to_string(), text);
    assert_eq!(all(&before).count(), 3);
    let longer = before.continued(start, 0, 60).unwrap();
    assert_eq!((rule(&longer), all(&longer).count()), (Some(text), 3));
}

#[test]
fn without_a_rule_the_later_occurrences_move() {
    let mut draft = draft("Europe/Berlin", "2026-11-02T06:00:00", None);
    draft.rdates = ["2026-11-05T06:00:00", "2026-11-09T08:00:00"].map(local).to_vec();
    let moved = checked(&draft).continued(local("2026-11-05T06:00:00"), HOUR, 90).unwrap();
    assert_eq!(moved.start, local("2026-11-05T07:00:00"));
    assert_eq!((moved.rdates, moved.rule), (vec![local("2026-11-09T09:00:00")], None));
    assert_eq!(moved.duration_minutes, 90);
}

#[test]
fn exceptions_move_and_pauses_stay() {
    let mut draft = draft("Europe/Berlin", "2026-11-02T23:00:00", Some("FREQ=DAILY;COUNT=20"));
    draft.exdates = ["2026-11-03T23:00:00", "2026-11-07T23:00:00"].map(local).to_vec();
    draft.rdates = ["2026-11-04T12:00:00", "2026-11-08T12:00:00"].map(local).to_vec();
    let pause = PauseDraft {
        from: Some(local("2026-11-10T00:00:00").date()),
        to: Some(local("2026-11-11T00:00:00").date()),
    };
    draft.pauses = vec![pause];
    let before = checked(&draft);
    let moved = before.continued(local("2026-11-05T23:00:00"), 2 * HOUR, 60).unwrap();
    assert_eq!(moved.start, local("2026-11-06T01:00:00"));
    assert_eq!(rule(&moved), Some("FREQ=DAILY;COUNT=17"));
    assert_eq!(moved.exdates, [local("2026-11-08T01:00:00")]);
    assert_eq!(moved.rdates, [local("2026-11-08T14:00:00")]);
    assert_eq!(moved.pauses, before.pauses);
}

#[test]
fn an_additional_occurrence_starts_at_the_next_one_of_the_rule() {
    let mut draft = draft("UTC", "2026-11-02T06:00:00", Some("FREQ=WEEKLY;COUNT=4"));
    draft.rdates = vec![local("2026-11-12T15:00:00")];
    let moved = checked(&draft).continued(local("2026-11-12T15:00:00"), HOUR, 60).unwrap();
    assert_eq!(moved.start, local("2026-11-16T07:00:00"));
    assert_eq!(rule(&moved), Some("FREQ=WEEKLY;COUNT=2"));
    draft.rdates = vec![local("2026-12-12T15:00:00")];
    let over = checked(&draft).continued(local("2026-12-12T15:00:00"), HOUR, 60).unwrap();
    assert_eq!((over.start, over.rule), (local("2026-12-12T16:00:00"), None));
    // It cannot start there when another additional one comes first.
    draft.rdates = ["2026-11-12T15:00:00", "2026-11-13T15:00:00"].map(local).to_vec();
    let refused = checked(&draft).continued(local("2026-11-12T15:00:00"), HOUR, 60).unwrap_err();
    assert!(refused.to_string().contains("additional occurrence"), "{refused}");
}

/// Moves the rules of `random.txt`: where a rule can say it, its occurrences are those of before, moved.
#[test]
fn five_thousand_random_rules_move_as_a_whole() {
    let (mut zone, mut start, mut counts) = ("", "", [0; 2]);
    let differences = [0, HOUR, -2 * HOUR, 1_800, DAY, -DAY, 7 * DAY, 20 * HOUR];
    for (number, line) in super::random::EXPECTED.lines().enumerate() {
        if let Some(header) = line.strip_prefix('@') {
            let words: Vec<_> = header.split(' ').collect();
            [zone, start] = [words[0], words[1]];
            continue;
        }
        let (text, _) = line.split_once(' ').unwrap();
        let schedule = schedule(zone, start, text);
        let starts = |schedule: &Schedule| -> Vec<_> {
            let year = |start: &LocalDateTime| start.to_string().starts_with("210");
            let starts = all(schedule).map(|occurrence: Occurrence| occurrence.start);
            starts.take_while(|start| !year(start)).take(12).collect()
        };
        let before = starts(&schedule);
        let Some(from) = before.get(number % 4) else { continue };
        let by = differences[number % differences.len()];
        let Ok(moved) = schedule.continued(*from, by, 60) else {
            counts[1] += 1;
            continue;
        };
        counts[0] += 1;
        let later =
            |time: &LocalDateTime| LocalDateTime::from_seconds(time.seconds() + by).unwrap();
        let expected: Vec<_> = before.iter().skip(number % 4).map(later).take(8).collect();
        let found: Vec<_> = starts(&moved).into_iter().take(expected.len()).collect();
        assert_eq!(found, expected, "line {number}: {start} {zone} {text} by {by} is {moved:?}");
        let has_more = before.len() < 12 && starts(&moved).len() > before.len();
        assert!(!has_more, "line {number}: {start} {zone} {text} by {by} has more occurrences");
    }
    assert!(counts[0] > 2_500 && counts[1] < 2_000, "{counts:?}");
}
