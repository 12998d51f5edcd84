//! Concurrent requests. `PATROL_TEST_SECONDS` sets the duration of the mixed load: a minute in
//! `make soak`, a few seconds in `make test`.

use std::{
    env,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{Api, Running, execution_id, planned};
use serde_json::json;

fn path(n: u32) -> String {
    format!("/task-executions/{}", execution_id(n))
}

/// The duration of loads without a fixed end.
pub(crate) fn soak() -> Duration {
    let seconds = env::var("PATROL_TEST_SECONDS").map_or(4, |text| text.parse().expect("seconds"));
    Duration::from_secs(seconds)
}

/// Adds a tag to the record with `If-Match`, and retries when the record was changed in between.
fn append(api: &Api, n: u32, tag: &str) {
    loop {
        let read = api.get(&path(n));
        let mut tags = read.ok()["tags"].as_array().unwrap().clone();
        tags.push(json!(tag));
        let answer = api.with("If-Match", &read.etag()).patch(&path(n), &json!({ "tags": tags }));
        match answer.status {
            200 => return,
            412 => {}
            other => panic!("{other}: {}", answer.text()),
        }
    }
}

#[test]
fn sixty_four_writers_and_sixteen_readers_get_along() {
    let running = Running::with((1..=64).map(planned));
    let patient = &running.admin.patient();
    let until = Instant::now() + soak();
    let (writes, reads) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for n in 1..=64 {
            let (admin, writes) = (patient, &writes);
            scope.spawn(move || {
                let mut round = 0_u32;
                while Instant::now() < until {
                    round += 1;
                    // Each writer changes its own record, and all writers change a common one.
                    let name = format!("writer {n} round {round}");
                    let own = admin.patch(&path(n), &json!({ "name": name })).ok();
                    assert_eq!(own["name"], name, "its own write");
                    assert_eq!(admin.get(&path(n)).ok()["name"], name, "no update is lost");
                    let _ = admin.patch(&path(1), &json!({ "description": name })).ok();
                    writes.fetch_add(2, Ordering::Relaxed);
                }
            });
        }
        for reader in 0..16 {
            let (admin, reads) = (patient, &reads);
            scope.spawn(move || {
                let lists = ["?limit=10&sort=name", "?state=PENDING", "?q=writer&limit=5"];
                while Instant::now() < until {
                    let query = lists[reader % lists.len()];
                    let list = admin.get(&format!("/task-executions/info{query}")).ok();
                    assert!(list["meta"]["count"].as_u64().is_some_and(|count| count <= 64));
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let (writes, reads) = (writes.into_inner(), reads.into_inner());
    assert!(writes >= 128 && reads >= 16, "{writes} writes, {reads} reads");
    assert!(!running.server.log().contains("locked"), "{}", running.server.log());
}

#[test]
fn no_update_is_lost_under_conditions() {
    let running = Running::with([planned(1)]);
    let _ = running.admin.patch(&path(1), &json!({ "tags": [] })).ok();
    let admin = &running.admin.patient();
    thread::scope(|scope| {
        for writer in 0..16 {
            scope.spawn(move || (0..4).for_each(|n| append(admin, 1, &format!("{writer}-{n}"))));
        }
    });
    let mut tags: Vec<_> = running.read(1)["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| tag.as_str().unwrap().to_owned())
        .collect();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 64, "{tags:?}");
}

#[test]
fn a_hundred_writers_of_one_record_all_come_to_their_end() {
    let running = Running::with([planned(1)]);
    let (admin, started) = (&running.admin.patient(), Instant::now());
    let slowest: Vec<Duration> = thread::scope(|scope| {
        let writers: Vec<_> = (0..100)
            .map(|writer| {
                scope.spawn(move || {
                    (0..10)
                        .map(|round| {
                            let sent = Instant::now();
                            let name = format!("{writer} {round}");
                            let _ = admin.patch(&path(1), &json!({ "description": name })).ok();
                            sent.elapsed()
                        })
                        .max()
                        .unwrap()
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let slowest = slowest.into_iter().max().unwrap();
    // In turn, a write takes a tenth of the whole time, which depends on the machine.
    let whole = started.elapsed();
    let most = (whole / 2).max(Duration::from_secs(2));
    assert!(slowest < most, "one write took {slowest:?} of {whole:?}: it starved");
}

#[test]
fn different_members_changed_at_once_all_hold() {
    let running = Running::with([planned(1)]);
    let admin = &running.admin.patient();
    for round in 0..10 {
        let changes = [
            json!({ "name": format!("n{round}") }),
            json!({ "description": format!("d{round}") }),
            json!({ "tags": [format!("t{round}")] }),
            json!({ "published": round % 2 == 0 }),
            json!({ "strictTimeRequired": round % 2 == 0 }),
        ];
        thread::scope(|scope| {
            for change in &changes {
                scope.spawn(move || admin.patch(&path(1), change).ok());
            }
        });
        let record = running.read(1);
        for change in &changes {
            for (member, value) in change.as_object().unwrap() {
                assert_eq!(&record[member], value, "{member} of round {round} was lost");
            }
        }
    }
}

#[test]
fn of_many_deletes_and_copies_each_counts_once() {
    let running = Running::with([planned(1), planned(2)]);
    let (admin, copy) = (&running.admin.patient(), &format!("{}/copy", path(2)));
    let body = &json!({ "taskIds": [execution_id(2)] });
    let deleted: Vec<u16> = thread::scope(|scope| {
        let copies: Vec<_> =
            (0..20).map(|_| scope.spawn(move || admin.post(copy, body).status)).collect();
        let deletes: Vec<_> =
            (0..20).map(|_| scope.spawn(move || admin.delete(&path(1)).status)).collect();
        assert!(copies.into_iter().all(|copy| copy.join().unwrap() == 200));
        deletes.into_iter().map(|delete| delete.join().unwrap()).collect()
    });
    assert_eq!(deleted.iter().filter(|status| **status == 204).count(), 1);
    assert_eq!(deleted.iter().filter(|status| **status == 404).count(), 19);
    let count = running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone();
    assert_eq!(count, 21);
}
