//! The days on which clocks change: no round is missing, none takes place twice.

use super::{all, instant, local, local_starts, schedule};

/// The hour of daylight saving: where, the day it begins and the day it ends in 2026, and the hours
/// with rounds each half an hour on both days, in UTC from the first instant of the day.
struct Changes {
    zone: &'static str,
    gap: &'static str,
    fold: &'static str,
    /// The length of the day of the gap, in half hours.
    short: usize,
    /// The length of the day of the fold without the part that repeats, in half hours.
    long: usize,
}

const CHANGES: [Changes; 4] = [
    Changes { zone: "Europe/Berlin", gap: "2026-03-29", fold: "2026-10-25", short: 46, long: 48 },
    Changes {
        zone: "America/New_York",
        gap: "2026-03-08",
        fold: "2026-11-01",
        short: 46,
        long: 48,
    },
    Changes {
        zone: "Australia/Lord_Howe",
        gap: "2026-10-04",
        fold: "2026-04-05",
        short: 47,
        long: 48,
    },
    // Without daylight saving.
    Changes { zone: "Asia/Kathmandu", gap: "2026-03-29", fold: "2026-10-25", short: 48, long: 48 },
];

/// Rounds each half an hour on a day: their local starts.
fn day(zone: &str, date: &str) -> Vec<String> {
    let rule = "FREQ=HOURLY;BYMINUTE=0,30";
    let schedule = schedule(zone, &format!("{date}T00:00:00"), rule);
    let day = local(&format!("{date}T00:00:00")).date();
    let found: Vec<_> = all(&schedule).take_while(|one| one.local_start.date() == day).collect();
    assert!(found.is_sorted_by(|one, next| one.start_at < next.start_at), "{found:?}");
    // A second look from each of them finds the same ones.
    for (at, one) in found.iter().enumerate() {
        let again = schedule.occurrences(one.start_at).take(found.len() - at);
        assert_eq!(again.collect::<Vec<_>>(), found[at..], "{zone}");
    }
    local_starts(found.into_iter())
}

#[test]
fn no_round_is_missing_and_none_is_twice_when_clocks_change() {
    for Changes { zone, gap, fold, short, long } in CHANGES {
        let halves = (0..48).map(|half| format!("T{:02}:{:02}:00", half / 2, half % 2 * 30));
        let whole: Vec<_> = halves.collect();
        // Each local time that exists has a round, also those that a gap moves to.
        let of_gap = day(zone, gap);
        assert_eq!(of_gap.len(), short, "{zone}");
        let missing = whole.iter().filter(|time| !of_gap.contains(&format!("{gap}{time}")));
        let missing: Vec<_> = missing.map(String::as_str).collect();
        let expected: &[&str] = match short {
            46 => &["T02:00:00", "T02:30:00"],
            47 => &["T02:00:00"],
            _ => &[],
        };
        assert_eq!(missing, expected, "{zone}");
        let of_fold: Vec<_> = whole.iter().map(|time| format!("{fold}{time}")).collect();
        assert_eq!(day(zone, fold), of_fold, "{zone}");
        assert_eq!(of_fold.len(), long);
    }
}

#[test]
fn a_time_that_does_not_exist_moves_forward_and_one_that_occurs_twice_is_the_first() {
    for (zone, start, at, shown, offset) in [
        // Berlin leaves out 02:00 to 03:00, and repeats 02:00 to 03:00.
        ("Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z", "03:30:00", "+02:00"),
        ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z", "01:59:59", "+01:00"),
        ("Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z", "03:00:00", "+02:00"),
        ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z", "02:30:00", "+02:00"),
        ("Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z", "03:00:00", "+01:00"),
        ("America/New_York", "2026-03-08T02:15:00", "2026-03-08T07:15:00Z", "03:15:00", "-04:00"),
        ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z", "01:30:00", "-04:00"),
        // Lord Howe leaves out 02:00 to 02:30, and repeats 01:30 to 02:00.
        (
            "Australia/Lord_Howe",
            "2026-10-04T02:10:00",
            "2026-10-03T15:40:00Z",
            "02:40:00",
            "+11:00",
        ),
        (
            "Australia/Lord_Howe",
            "2026-04-05T01:45:00",
            "2026-04-04T14:45:00Z",
            "01:45:00",
            "+11:00",
        ),
        ("Asia/Kathmandu", "2026-03-29T02:30:00", "2026-03-28T20:45:00Z", "02:30:00", "+05:45"),
        // Before 1972 Liberia was 44 minutes and 30 seconds behind.
        ("Africa/Monrovia", "1971-01-01T00:00:00", "1971-01-01T00:44:30Z", "00:00:00", "-00:44:30"),
        ("Europe/Berlin", "2100-07-01T12:00:00", "2100-07-01T10:00:00Z", "12:00:00", "+02:00"),
        ("Europe/Berlin", "9999-07-01T12:00:00", "9999-07-01T10:00:00Z", "12:00:00", "+02:00"),
    ] {
        let schedule = super::checked(&super::draft(zone, start, None));
        let found: Vec<_> = all(&schedule).collect();
        assert_eq!(found.len(), 1, "{zone} {start}");
        assert_eq!(found[0].start_at, instant(at), "{zone} {start}");
        assert_eq!(found[0].start, local(start), "{zone} {start}");
        assert_eq!(found[0].local_start, local(&format!("{}T{shown}", &start[..10])), "{zone}");
        assert_eq!(found[0].utc_offset.to_string(), offset, "{zone} {start}");
    }
}

#[test]
fn occurrences_at_the_same_instant_are_one_and_the_order_is_that_of_time() {
    // 02:30 becomes 03:30, after 03:00 and at the same time as 03:30.
    let half = |hours: &str| format!("FREQ=DAILY;BYHOUR={hours};BYMINUTE=0,30;COUNT=6");
    let rule = schedule("Europe/Berlin", "2026-03-29T02:00:00", &half("2,3"));
    let found: Vec<_> =
        all(&rule).map(|one| (one.start.to_string(), one.local_start.to_string())).collect();
    let same = |time: &str| (time.to_owned(), time.to_owned());
    let expected = [
        same("2026-03-29T03:00:00"),
        same("2026-03-29T03:30:00"),
        same("2026-03-30T02:00:00"),
        same("2026-03-30T02:30:00"),
    ];
    assert_eq!(found, expected);
    let rule = schedule(
        "Europe/Berlin",
        "2026-03-29T02:45:00",
        "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=15,45;COUNT=3",
    );
    assert_eq!(local_starts(all(&rule)), ["2026-03-29T03:15:00", "2026-03-29T03:45:00"]);
}

#[test]
fn a_rule_whose_times_are_all_in_gaps_has_each_of_them() {
    let rule = "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU";
    let schedule = schedule("Europe/Berlin", "2026-03-29T02:30:00", rule);
    let found: Vec<_> = all(&schedule).take(50).collect();
    assert_eq!(found.len(), 50);
    for one in &found {
        assert!(one.local_start.to_string().ends_with("T03:30:00"), "{one:?}");
        assert_eq!(one.local_start.seconds() - one.start.seconds(), 3_600);
    }
}

#[test]
fn a_day_that_a_zone_skipped_moves_to_the_next_one() {
    // Samoa had no 30 December 2011.
    let rule = schedule("Pacific/Apia", "2011-12-28T22:00:00", "FREQ=DAILY;COUNT=4");
    let found = ["2011-12-28T22:00:00", "2011-12-29T22:00:00", "2011-12-31T22:00:00"];
    assert_eq!(local_starts(all(&rule)), found);
    let hourly = schedule("Pacific/Apia", "2011-12-29T00:00:00", "FREQ=HOURLY;COUNT=72");
    assert_eq!(all(&hourly).count(), 48);
}

#[test]
fn an_excluded_time_may_be_the_one_of_the_rule_or_the_one_that_is_shown() {
    let weekly = super::draft("Europe/Berlin", "2026-03-22T02:30:00", Some("FREQ=WEEKLY;COUNT=3"));
    for excluded in ["2026-03-29T02:30:00", "2026-03-29T03:30:00"] {
        let exdates = vec![local(excluded)];
        let schedule = super::checked(&super::ScheduleDraft { exdates, ..weekly.clone() });
        let found = ["2026-03-22T02:30:00", "2026-04-05T02:30:00"];
        assert_eq!(local_starts(all(&schedule)), found, "{excluded}");
    }
}
