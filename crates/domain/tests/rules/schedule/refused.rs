//! Which recurrence rules are refused, and why.

use patrol_domain::schedule::RecurrenceRule;
use proptest::prelude::*;

fn fault(rule: &str) -> String {
    match RecurrenceRule::parse(rule) {
        Ok(_) => format!("{rule} is accepted"),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn what_is_not_a_rule_is_refused() {
    for (rule, why) in [
        ("", "not a part of a rule: "),
        ("FREQ=DAILY;", "not a part of a rule: "),
        ("RRULE:FREQ=DAILY", "not a part of a rule: RRULE:FREQ=DAILY"),
        ("FREQ=DAILY; COUNT=2", "not a part of a rule:  COUNT=2"),
        ("FREQ=DAILY;RSCALE=GREGORIAN", "not a part of a rule: RSCALE=GREGORIAN"),
        ("FREQ", "not a part of a rule: FREQ"),
        ("COUNT=2", "FREQ is missing"),
        ("FREQ=FORTNIGHTLY", "wrong FREQ: FORTNIGHTLY"),
        ("FREQ=DAILY;FREQ=DAILY", "FREQ is given twice"),
        ("FREQ=DAILY;COUNT=0", "wrong COUNT: 0"),
        ("FREQ=DAILY;COUNT=-1", "wrong COUNT: -1"),
        ("FREQ=DAILY;COUNT=", "wrong COUNT: "),
        ("FREQ=DAILY;INTERVAL=0", "wrong INTERVAL: 0"),
        ("FREQ=DAILY;INTERVAL=1.5", "wrong INTERVAL: 1.5"),
        ("FREQ=DAILY;UNTIL=20261224", "wrong UNTIL: 20261224"),
        ("FREQ=DAILY;UNTIL=20260230T000000Z", "wrong UNTIL: 20260230T000000Z"),
        ("FREQ=DAILY;UNTIL=20261224T240000", "wrong UNTIL: 20261224T240000"),
        ("FREQ=DAILY;UNTIL=2026-12-24T00:00:00", "wrong UNTIL: 2026-12-24T00:00:00"),
        ("FREQ=DAILY;BYHOUR=24", "wrong BYHOUR: 24"),
        ("FREQ=DAILY;BYHOUR=1,", "wrong BYHOUR: "),
        ("FREQ=DAILY;BYMINUTE=60", "wrong BYMINUTE: 60"),
        ("FREQ=DAILY;BYSECOND=61", "wrong BYSECOND: 61"),
        ("FREQ=DAILY;BYMONTH=13", "wrong BYMONTH: 13"),
        ("FREQ=DAILY;BYMONTH=-1", "wrong BYMONTH: -1"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "wrong BYMONTHDAY: 0"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", "wrong BYMONTHDAY: 32"),
        ("FREQ=YEARLY;BYYEARDAY=-367", "wrong BYYEARDAY: -367"),
        ("FREQ=YEARLY;BYWEEKNO=54", "wrong BYWEEKNO: 54"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "wrong BYSETPOS: 0"),
        ("FREQ=MONTHLY;BYDAY=0MO", "wrong BYDAY: 0MO"),
        ("FREQ=MONTHLY;BYDAY=54MO", "wrong BYDAY: 54MO"),
        ("FREQ=MONTHLY;BYDAY=MONDAY", "wrong BYDAY: MONDAY"),
        ("FREQ=MONTHLY;BYDAY=ЖЖ", "wrong BYDAY: ЖЖ"),
        ("FREQ=MONTHLY;BYDAY=Ж", "wrong BYDAY: Ж"),
        ("FREQ=WEEKLY;WKST=1", "wrong WKST: 1"),
    ] {
        assert_eq!(fault(rule), why, "{rule}");
    }
}

#[test]
fn what_rfc_5545_or_patrol_forbids_is_refused() {
    for (rule, why) in [
        ("FREQ=SECONDLY", "FREQ=SECONDLY is not allowed"),
        ("FREQ=MINUTELY;INTERVAL=90", "FREQ=MINUTELY is not allowed"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20261224T000000Z", "UNTIL and COUNT exclude each other"),
        ("FREQ=WEEKLY;BYDAY=1MO", "BYDAY has numbers only with FREQ=MONTHLY and FREQ=YEARLY"),
        ("FREQ=DAILY;BYDAY=-1MO", "BYDAY has numbers only with FREQ=MONTHLY and FREQ=YEARLY"),
        ("FREQ=YEARLY;BYDAY=1MO;BYWEEKNO=3", "BYDAY has no numbers with BYWEEKNO"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY is not allowed with FREQ=WEEKLY"),
        (
            "FREQ=MONTHLY;BYYEARDAY=1",
            "BYYEARDAY is not allowed with FREQ=DAILY, WEEKLY and MONTHLY",
        ),
        ("FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO is allowed only with FREQ=YEARLY"),
        ("FREQ=HOURLY;BYWEEKNO=1", "BYWEEKNO is allowed only with FREQ=YEARLY"),
        ("FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS needs another part that begins with BY"),
    ] {
        assert_eq!(fault(rule), why, "{rule}");
    }
}

#[test]
fn more_than_96_occurrences_a_day_are_refused() {
    let list = |to: u32| (0..to).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let (hours, minutes) = (list(24), list(60));
    for allowed in [
        "FREQ=HOURLY;BYMINUTE=0,15,30,45",
        "FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,10,20,30,40,50",
        "FREQ=HOURLY;BYHOUR=9,17;BYMINUTE=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19",
        "FREQ=HOURLY;INTERVAL=1000000;BYMINUTE=0,10,20,30,40,50;BYSECOND=0,20,40",
        &format!("FREQ=DAILY;BYHOUR={hours};BYMINUTE=0,15,30,45"),
        &format!("FREQ=YEARLY;BYHOUR={hours};BYMINUTE={minutes};BYSECOND={minutes};BYSETPOS=1,-1"),
        &format!("FREQ=HOURLY;BYMINUTE={minutes};BYSETPOS=1,20,40,-1"),
    ] {
        assert!(RecurrenceRule::parse(allowed).is_ok(), "{allowed}");
    }
    for refused in [
        "FREQ=HOURLY;BYMINUTE=0,10,20,30,40,50",
        "FREQ=HOURLY;BYMINUTE=0,10,20,30,40,50;COUNT=3",
        "FREQ=HOURLY;INTERVAL=5;BYMINUTE=0,10,20;BYSECOND=0,1,2,3,4,5,6",
        &format!("FREQ=WEEKLY;BYHOUR={hours};BYMINUTE=0,1,2,3,4"),
        &format!("FREQ=MONTHLY;BYHOUR={hours};BYMINUTE={minutes};BYSETPOS={}", &list(98)[2..]),
        &format!("FREQ=HOURLY;BYMINUTE={minutes};BYSETPOS=1,2,3,4,5"),
    ] {
        assert_eq!(fault(refused), "more than 96 occurrences a day", "{refused}");
    }
}

#[test]
fn names_and_values_may_be_in_any_case_and_order_and_are_kept_as_sent() {
    let text = "byday=+1mo,-1Su;Count=3;freq=Monthly;wkst=su;byhour=07";
    assert_eq!(RecurrenceRule::parse(text).unwrap().text(), text);
    let huge = "FREQ=DAILY;COUNT=99999999999999999999999999";
    assert_eq!(RecurrenceRule::parse(huge).unwrap().text(), huge);
}

proptest! {
    #[test]
    fn any_text_is_parsed_without_a_panic(
        text in "(FREQ=[A-Z]{0,8}|[A-Z]{2,9}=[-+0-9A-Z,]{0,20}|;|=|\\PC{0,5}){0,9}",
    ) {
        let _ = RecurrenceRule::parse(&text);
    }
}
