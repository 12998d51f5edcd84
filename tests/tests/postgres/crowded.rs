//! Clients with expensive requests do not block other clients.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, Running, Server, Store, Wire,
    company::{self, ADMIN, EMPLOYEE, MANAGER, PLAN, PORT},
    execution_id, planned, with,
};
use serde_json::json;

const EXECUTIONS: &str = "/task-executions/info";
const LOCATIONS: &str = "/locations?limit=1";
const HISTORY: &str = "/locations/points/history";

/// Enough that no buffer between server and client can hold the whole list.
const MANY: u32 = 5_000;

/// A store whose executions take this many seconds to be found.
fn slow(seconds: u32) -> Running {
    let store = Store::postgres().and(&company::company().and([planned(1)]));
    let sql = format!(
        "ALTER TABLE task_executions RENAME TO slow_executions; \
         CREATE VIEW task_executions AS \
         SELECT * FROM slow_executions WHERE pg_sleep({seconds}) IS NOT NULL"
    );
    patrol_test_servers::postgres::execute(&store.url(), &sql);
    Running::on(store)
}

fn asked(api: &Api, path: &'static str) -> thread::JoinHandle<(u16, Duration)> {
    let api = api.clone();
    thread::spawn(move || {
        let started = Instant::now();
        (api.get(path).status, started.elapsed())
    })
}

#[test]
fn slow_pages_do_not_hold_up_cheap_ones() {
    let running = slow(3);
    let slow: Vec<_> = (0..16).map(|_| asked(&running.admin, EXECUTIONS_PAGE)).collect();
    thread::sleep(Duration::from_millis(500));
    for _ in 0..10 {
        let _ = running.admin.get(LOCATIONS).ok();
    }
    assert!(slow.iter().any(|slow| !slow.is_finished()), "cheap ones waited for all slow ones");
    let slow: Vec<_> = slow.into_iter().map(|slow| slow.join().unwrap()).collect();
    assert!(slow.iter().any(|(status, _)| *status == 200), "{slow:?}");
    // Waiting takes 5 s, reading 3 s.
    for (status, time) in slow {
        assert!(matches!(status, 200 | 503), "{status}");
        assert!(time < Duration::from_secs(20), "{time:?}");
    }
}

const EXECUTIONS_PAGE: &str = "/task-executions/info?limit=10";

#[test]
fn a_list_without_a_first_row_in_10_seconds_is_refused() {
    let running = slow(60);
    for (path, most) in [(EXECUTIONS_PAGE, 30), (EXECUTIONS, 30)] {
        let started = Instant::now();
        let refused = running.admin.get(path);
        let _ = refused.refused(503, "service.unavailable");
        assert_eq!(refused.header("Retry-After"), Some("1"));
        let time = started.elapsed();
        assert!((9..=most).contains(&time.as_secs()), "{path}: {time:?}");
    }
}

/// Requests the whole list on its own connection, and reads the head of the response.
fn stalled(server: &Server, token: &str) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(format!("GET /v1{EXECUTIONS} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n"));
    assert_eq!(wire.read_status(), 200);
    wire
}

#[test]
fn slow_readers_leave_long_lists_to_others_and_the_last_ones_are_told_to_come_back() {
    let plain = |n| with(planned(n), json!({ "steps": [], "id": execution_id(n) }));
    let store = Store::postgres().and(&company::company().and((1..=MANY).map(plain)));
    let tokens = [ADMIN, MANAGER].map(|user| store.token(user));
    let running = Running::on(store);
    let other = running.api(EMPLOYEE);
    let mut slow: Vec<_> = (0..4).map(|_| stalled(&running.server, &tokens[0])).collect();
    assert_eq!(other.get(EXECUTIONS).ok()["meta"]["count"], MANY);
    slow.extend((0..4).map(|_| stalled(&running.server, &tokens[1])));

    let waiting = asked(&other, EXECUTIONS);
    let _ = other.get(LOCATIONS).ok();
    let _ = other.get(EXECUTIONS_PAGE).ok();
    let _ = running.admin.patch(&crate::path(1), &json!({ "name": "changed" })).ok();
    assert!(!waiting.is_finished(), "others do not wait with it");
    let (status, time) = waiting.join().unwrap();
    assert_eq!(status, 503);
    assert!((4..20).contains(&time.as_secs()), "{time:?}");
}

/// 16 readers of records of 2 MiB. What the server took before them does not count: most of that is
/// the pages of a program that is not optimised.
#[cfg(target_os = "linux")]
#[test]
fn records_of_megabytes_fit_in_little_memory() {
    const MOST: usize = 256 << 20;
    let store = Store::postgres().and(&company::company());
    let sql = format!(
        "INSERT INTO point_history (operation, recorded_at, id, location_id, name, name_folded, \
             kind, graphic_plans, tags, tags_folded) \
         SELECT 0, now(), gen_random_uuid(), '{PORT}', 'Large', 'large', 0, \
             json_build_array(json_build_object('id', '{PLAN}', 'further', json_build_array( \
                 json_build_array('note', to_json(repeat(md5(n::text), 65536))::text)))), \
             '{{}}', '' \
         FROM generate_series(1, 150) AS n"
    );
    patrol_test_servers::postgres::execute(&store.url(), &sql);
    let users = [ADMIN, MANAGER, EMPLOYEE, company::GUARD].map(|user| store.token(user));
    let running = Running::on(store);
    let _ = running.admin.get("/locations/points/history?limit=1").ok();
    let before = running.server.peak_memory();
    let readers: Vec<_> = (0..16)
        .map(|n| {
            let token = &users[n % users.len()];
            let query = if n < 8 { "" } else { "?limit=1000" };
            let mut wire = Wire::connect(running.server.address());
            wire.send(format!(
                "GET /v1{HISTORY}{query} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
                 Connection: close\r\n\r\n"
            ));
            thread::spawn(move || {
                let status = wire.read_status();
                // Slowly at first, so that all of them run at once.
                thread::sleep(Duration::from_secs(3));
                let mut length = 0;
                while let Ok(read) = wire.read(1 << 20)
                    && !read.is_empty()
                {
                    length += read.len();
                }
                (status, length)
            })
        })
        .collect();
    let read: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
    let whole = read.iter().filter(|(status, length)| *status == 200 && *length > 300 << 20);
    assert!(whole.count() >= 4, "{read:?}");
    let grown = running.server.peak_growth(before);
    assert!(grown < MOST, "{} MiB beside {}, {read:?}", grown >> 20, before >> 20);
}
