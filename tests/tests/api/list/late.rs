//! The filters `late` and `missed`, and the members of the same names.

use std::time::Duration;

use patrol_tests::{
    Running, Store, company::company, completed, execution_id, in_progress, planned, with, within,
};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{list, numbers};

/// This many seconds from now, as text.
fn soon(seconds: i64) -> String {
    let at = OffsetDateTime::now_utc() + time::Duration::seconds(seconds);
    at.format(&Rfc3339).expect("a time")
}

/// A round planned between these times, in seconds from now.
fn between(round: Value, from: i64, to: i64) -> Value {
    with(round, json!({ "startAt": soon(from), "endAt": soon(to) }))
}

/// Planned from 8:00 to 9:00 on 31 January 2026, and started at this time.
fn started(n: u32, at: &str) -> Value {
    with(in_progress(n), json!({ "startedAt": at }))
}

#[test]
fn late_and_missed_rounds_are_found_and_shown() {
    let hidden = with(planned(1), json!({ "published": false }));
    let rounds = [
        hidden,
        planned(2),
        started(3, "2026-01-31T08:10:00Z"),
        started(4, "2026-01-31T08:10:00.001Z"),
        completed(5),
        between(planned(6), -30, 3_600),
        between(planned(7), -1_200, 3_600),
        between(planned(8), 3_600, 7_200),
    ];
    let running = Running::with(rounds);
    let both = |late: &[u32], missed: &[u32]| {
        for (name, expected) in [("late", late), ("missed", missed)] {
            let others: Vec<_> = (1..=8).filter(|n| !expected.contains(n)).collect();
            for (value, found) in [
                ("true", expected),
                ("eq:true", expected),
                ("ne:false", expected),
                ("false", &others),
                ("ne:true", &others),
            ] {
                let answer = list(&running, &[(name, value)]);
                assert_eq!(numbers(&answer), found, "{name}={value}");
                assert_eq!(answer.ok()["meta"]["count"], json!(found.len()), "{name}={value}");
                let page = list(&running, &[(name, value), ("limit", "2"), ("sort", "startAt")]);
                assert_eq!(page.ok()["meta"]["count"], json!(found.len()), "{name}={value}");
                for item in answer.ok()["data"].as_array().expect("items") {
                    assert_eq!(item[name], json!(found == expected), "{item}");
                }
            }
            for n in 1..=8 {
                assert_eq!(running.read(n)[name], json!(expected.contains(&n)), "{n}");
            }
        }
    };
    both(&[2, 4, 7], &[2, 3, 4]);
    let contradiction = list(&running, &[("late", "true"), ("late", "false")]);
    assert_eq!(numbers(&contradiction), [0; 0]);
    let together = [("late", "true"), ("missed", "false"), ("state", "PENDING")];
    assert_eq!(numbers(&list(&running, &together)), [7]);
    // A change is seen at once, also in counts.
    let path = format!("/task-executions/{}", execution_id(7));
    let _ = running.admin.patch(&path, &json!({ "published": false })).ok();
    both(&[2, 4], &[2, 3, 4]);
}

#[test]
fn a_round_becomes_late_and_missed_without_a_change() {
    let store = Store::with(&company().and([planned(1)]));
    let running = Running::set(store, &[("PATROL_LATE_AFTER", "1s")]);
    let path = format!("/task-executions/{}", execution_id(1));
    let counted = |name| {
        let page = list(&running, &[(name, "true"), ("limit", "0")]);
        page.ok()["meta"]["count"].as_u64().expect("a count")
    };
    let times = json!({ "startAt": soon(2), "endAt": soon(4) });
    let etag = running.admin.patch(&path, &times).etag();
    assert_eq!((counted("late"), counted("missed")), (0, 0));
    for name in ["late", "missed"] {
        within(Duration::from_secs(10), name, || counted(name) == 1);
        assert_eq!(running.read(1)[name], json!(true));
    }
    assert_eq!(running.admin.get(&path).etag(), etag);
}
