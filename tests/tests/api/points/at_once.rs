//! Points changed by concurrent requests.

use std::{collections::HashSet, sync::Barrier, thread};

use patrol_tests::{Running, company::GATE, detail, with};
use serde_json::json;

use super::{POINTS, history_of, path, small};

#[test]
fn every_change_has_its_record_and_the_last_is_the_point() {
    let running = Running::with([]);
    let admin = &running.admin.patient();
    thread::scope(|scope| {
        for n in 0..40 {
            scope.spawn(move || {
                let body = with(small(), json!({ "name": format!("Gate {n}") }));
                assert_eq!(admin.put(&path(GATE), &body).ok()["name"], body["name"]);
            });
        }
    });
    let records = history_of(&running, GATE);
    assert_eq!(records.len(), 41);
    let names: HashSet<_> = records.iter().map(|record| record["name"].to_string()).collect();
    assert_eq!(names.len(), 41, "each once");
    let ids: Vec<_> = records.iter().map(|record| record["historyId"].as_i64().unwrap()).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    assert_eq!(records.last().unwrap()["name"], running.admin.get(&path(GATE)).ok()["name"]);
}

#[test]
fn of_two_who_get_the_same_code_at_once_exactly_one_is_refused() {
    let running = Running::with([]);
    for round in 0..10 {
        let body = with(small(), json!({ "qrCode": format!("code {round}") }));
        let barrier = Barrier::new(2);
        let answers: Vec<_> = thread::scope(|scope| {
            let (admin, barrier, body) = (&running.admin, &barrier, &body);
            let created = scope.spawn(move || {
                barrier.wait();
                admin.post(POINTS, body)
            });
            let changed = scope.spawn(move || {
                barrier.wait();
                admin.put(&path(GATE), body)
            });
            vec![created.join().unwrap(), changed.join().unwrap()]
        });
        let refused: Vec<_> = answers.iter().filter(|answer| answer.status >= 400).collect();
        assert_eq!(refused.len(), 1, "{answers:?}");
        refused[0].invalid(&[detail("validation.unique.failed", "qrCode", &[])]);
    }
}

#[test]
fn of_many_deletes_one_counts() {
    let running = Running::with([]);
    let admin = &running.admin.patient();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let deletes: Vec<_> =
            (0..20).map(|_| scope.spawn(move || admin.delete(&path(GATE)).status)).collect();
        deletes.into_iter().map(|delete| delete.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 204).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 404).count(), 19);
    assert_eq!(super::operations_on(&running, GATE), ["CREATE", "DELETE"]);
}
