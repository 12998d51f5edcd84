//! The 40 examples of RFC 5545, 3.8.5.3, in America/New_York, with their dates as the RFC gives them.

use super::{all, local_starts, schedule};
use patrol_domain::schedule::RecurrenceRule;

/// A date and the days of its month on which the rule has occurrences: `"1997-09 2-5"`.
fn dates(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for month in text.split(';') {
        let (month, days) = month.trim().split_once(' ').unwrap();
        for days in days.split(',') {
            let (first, last) = days.split_once('-').unwrap_or((days, days));
            let days: std::ops::RangeInclusive<u32> =
                first.parse().unwrap()..=last.parse().unwrap();
            found.extend(days.map(|day| format!("{month}-{day:02}")));
        }
    }
    found
}

/// The occurrences of a rule begin with these at 09:00; if `ends`, there are no more.
fn check(start: &str, rule: &str, expected: &str, ends: bool) {
    let schedule = schedule("America/New_York", &format!("{start}T09:00:00"), rule);
    let expected: Vec<_> = dates(expected).iter().map(|date| format!("{date}T09:00:00")).collect();
    let most = expected.len() + usize::from(ends);
    assert_eq!(local_starts(all(&schedule).take(most)), expected, "{rule}");
    // The hour follows daylight saving: EDT until 26 October 1997, EST after it.
    for occurrence in all(&schedule).take(most) {
        let past = occurrence.local_start.seconds() - occurrence.start_at.millis() / 1_000;
        assert_eq!(past, i64::from(occurrence.utc_offset.0));
        assert!(past == -4 * 3_600 || past == -5 * 3_600, "{occurrence:?}");
    }
}

fn ends(rule: &str, expected: &str) {
    check("1997-09-02", rule, expected, true);
}

fn goes_on(rule: &str, expected: &str) {
    check("1997-09-02", rule, expected, false);
}

#[test]
fn daily_examples() {
    ends("FREQ=DAILY;COUNT=10", "1997-09 2-11");
    ends(
        "FREQ=DAILY;UNTIL=19971224T000000Z",
        "1997-09 2-30; 1997-10 1-31; 1997-11 1-30; 1997-12 1-23",
    );
    goes_on(
        "FREQ=DAILY;INTERVAL=2",
        "1997-09 2,4,6,8,10,12,14,16,18,20,22,24,26,28,30; 1997-10 2,4,6,8",
    );
    ends("FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09 2,12,22; 1997-10 2,12");
    let januaries = "1998-01 1-31; 1999-01 1-31; 2000-01 1-31";
    for rule in [
        "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
        "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1",
    ] {
        check("1998-01-01", rule, januaries, true);
    }
}

#[test]
fn weekly_examples() {
    ends("FREQ=WEEKLY;COUNT=10", "1997-09 2,9,16,23,30; 1997-10 7,14,21,28; 1997-11 4");
    ends(
        "FREQ=WEEKLY;UNTIL=19971224T000000Z",
        "1997-09 2,9,16,23,30; 1997-10 7,14,21,28; 1997-11 4,11,18,25; 1997-12 2,9,16,23",
    );
    goes_on(
        "FREQ=WEEKLY;INTERVAL=2;WKST=SU",
        "1997-09 2,16,30; 1997-10 14,28; 1997-11 11,25; 1997-12 9,23; 1998-01 6,20; 1998-02 3,17",
    );
    let tuesdays_and_thursdays = "1997-09 2,4,9,11,16,18,23,25,30; 1997-10 2";
    ends("FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", tuesdays_and_thursdays);
    ends("FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", tuesdays_and_thursdays);
    check(
        "1997-09-01",
        "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
        "1997-09 1,3,5,15,17,19,29; 1997-10 1,3,13,15,17,27,29,31; 1997-11 10,12,14,24,26,28; \
         1997-12 8,10,12,22",
        true,
    );
    ends(
        "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
        "1997-09 2,4,16,18,30; 1997-10 2,14,16",
    );
    let august =
        |week_start| format!("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST={week_start}");
    check("1997-08-05", &august("MO"), "1997-08 5,10,19,24", true);
    check("1997-08-05", &august("SU"), "1997-08 5,17,19,31", true);
}

#[test]
fn monthly_examples() {
    check(
        "1997-09-05",
        "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
        "1997-09 5; 1997-10 3; 1997-11 7; 1997-12 5; 1998-01 2; 1998-02 6; 1998-03 6; 1998-04 3; \
         1998-05 1; 1998-06 5",
        true,
    );
    check(
        "1997-09-05",
        "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR",
        "1997-09 5; 1997-10 3; 1997-11 7; 1997-12 5",
        true,
    );
    check(
        "1997-09-07",
        "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
        "1997-09 7,28; 1997-11 2,30; 1998-01 4,25; 1998-03 1,29; 1998-05 3,31",
        true,
    );
    check(
        "1997-09-22",
        "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
        "1997-09 22; 1997-10 20; 1997-11 17; 1997-12 22; 1998-01 19; 1998-02 16",
        true,
    );
    check(
        "1997-09-28",
        "FREQ=MONTHLY;BYMONTHDAY=-3",
        "1997-09 28; 1997-10 29; 1997-11 28; 1997-12 29; 1998-01 29; 1998-02 26",
        false,
    );
    ends(
        "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
        "1997-09 2,15; 1997-10 2,15; 1997-11 2,15; 1997-12 2,15; 1998-01 2,15",
    );
    check(
        "1997-09-30",
        "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
        "1997-09 30; 1997-10 1,31; 1997-11 1,30; 1997-12 1,31; 1998-01 1,31; 1998-02 1",
        true,
    );
    check(
        "1997-09-10",
        "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
        "1997-09 10-15; 1999-03 10-13",
        true,
    );
    goes_on(
        "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
        "1997-09 2,9,16,23,30; 1997-11 4,11,18,25; 1998-01 6,13,20,27; 1998-03 3,10,17,24,31",
    );
    // The RFC excludes the start, which is always the first occurrence.
    goes_on(
        "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
        "1997-09 2; 1998-02 13; 1998-03 13; 1998-11 13; 1999-08 13; 2000-10 13",
    );
    check(
        "1997-09-13",
        "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
        "1997-09 13; 1997-10 11; 1997-11 8; 1997-12 13; 1998-01 10; 1998-02 7; 1998-03 7; \
         1998-04 11; 1998-05 9; 1998-06 13",
        false,
    );
    check(
        "1997-09-04",
        "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
        "1997-09 4; 1997-10 7; 1997-11 6",
        true,
    );
    check(
        "1997-09-29",
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
        "1997-09 29; 1997-10 30; 1997-11 27; 1997-12 30; 1998-01 29; 1998-02 26; 1998-03 30",
        false,
    );
    check(
        "2007-01-15",
        "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
        "2007-01 15,30; 2007-02 15; 2007-03 15,30",
        true,
    );
}

#[test]
fn yearly_examples() {
    check(
        "1997-06-10",
        "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
        "1997-06 10; 1997-07 10; 1998-06 10; 1998-07 10; 1999-06 10; 1999-07 10; 2000-06 10; \
         2000-07 10; 2001-06 10; 2001-07 10",
        true,
    );
    check(
        "1997-03-10",
        "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
        "1997-03 10; 1999-01 10; 1999-02 10; 1999-03 10; 2001-01 10; 2001-02 10; 2001-03 10; \
         2003-01 10; 2003-02 10; 2003-03 10",
        true,
    );
    check(
        "1997-01-01",
        "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
        "1997-01 1; 1997-04 10; 1997-07 19; 2000-01 1; 2000-04 9; 2000-07 18; 2003-01 1; \
         2003-04 10; 2003-07 19; 2006-01 1",
        true,
    );
    check("1997-05-19", "FREQ=YEARLY;BYDAY=20MO", "1997-05 19; 1998-05 18; 1999-05 17", false);
    check(
        "1997-05-12",
        "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
        "1997-05 12; 1998-05 11; 1999-05 17",
        false,
    );
    check(
        "1997-03-13",
        "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
        "1997-03 13,20,27; 1998-03 5,12,19,26; 1999-03 4,11,18,25",
        false,
    );
    check(
        "1997-06-05",
        "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
        "1997-06 5,12,19,26; 1997-07 3,10,17,24,31; 1997-08 7,14,21,28; 1998-06 4,11,18,25; \
         1998-07 2,9,16,23,30; 1998-08 6,13,20,27",
        false,
    );
    check(
        "1996-11-05",
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
        "1996-11 5; 2000-11 7; 2004-11 2",
        false,
    );
}

#[test]
fn hourly_examples() {
    let start = "1997-09-02T09:00:00";
    let times = ["09", "12", "15"].map(|hour| format!("1997-09-02T{hour}:00:00"));
    let until = |hour| format!("FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T{hour}0000Z");
    let found = |hour| local_starts(all(&schedule("America/New_York", start, &until(hour))));
    // The RFC writes 17:00Z, which is 13:00 in New York, and lists the times up to 17:00 there.
    assert_eq!(found(21), times);
    assert_eq!(found(17), times[..2]);
    // MINUTELY is refused, but the same times can be written with DAILY.
    let rule = "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40";
    let found = local_starts(all(&schedule("America/New_York", start, rule)).take(25));
    assert_eq!(found[..3], ["09:00", "09:20", "09:40"].map(|time| format!("1997-09-02T{time}:00")));
    assert_eq!(found[23..], ["1997-09-02T16:40:00", "1997-09-03T09:00:00"]);
}

#[test]
fn the_examples_with_minutely_are_refused() {
    for rule in [
        "FREQ=MINUTELY;INTERVAL=15;COUNT=6",
        "FREQ=MINUTELY;INTERVAL=90;COUNT=4",
        "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
    ] {
        let fault = RecurrenceRule::parse(rule).unwrap_err();
        assert_eq!(fault.to_string(), "FREQ=MINUTELY is not allowed");
    }
}
