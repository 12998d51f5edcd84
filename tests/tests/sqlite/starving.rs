//! The requests of one client do not block other clients.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use patrol_tests::{
    Api, Running, Server, Store, Wire, company,
    company::{ADMIN, EMPLOYEE, GATE, GUARD, MANAGER, PORT},
    execution_id, planned,
    round::eventually,
};
use serde_json::json;

const HISTORY: &str = "/locations/points/history";

/// A store of the company, changed by this SQL.
fn store(sql: &str) -> Store {
    let store = Store::sqlite().and(&company::company().and([planned(1)]));
    let mut database = SqliteConnection::establish(store.database().to_str().unwrap()).unwrap();
    database.batch_execute(sql).unwrap();
    store
}

/// SQL that adds this many records to the history, with this name and these graphic plans (both SQL
/// expressions).
fn recorded(number: u32, name: &str, plans: &str) -> String {
    let columns = "operation, recorded_at, id, location_id, kind, latitude, longitude, rfid_code, \
                   rfid_code_folded, qr_code, qr_code_folded, tags, tags_folded";
    format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {number})
         INSERT INTO point_history ({columns}, name, name_folded, graphic_plans)
         SELECT {columns}, {name}, {name}, {plans}
         FROM n, (SELECT * FROM point_history LIMIT 1)"
    )
}

/// Records of 2 MiB, which could be stored before their size was bounded.
fn heavy() -> Store {
    let plans = "'[{\"id\":\"0190a000000970008000000000000001\",\"further\":[[\"x\",\"\\\"' || \
                 hex(zeroblob(1048576)) || '\\\"\"]]}]'";
    store(&recorded(60, "'heavy'", plans))
}

/// A list that the client does not read yet.
fn ask(server: &Server, token: &str, path: &str) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(format!(
        "GET /v1{path} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n"
    ));
    wire
}

#[test]
fn slow_pages_do_not_block_cheap_ones() {
    let name = "'abcdefghijklmnopqrstuvwxyz0123456789'";
    let store = store(&recorded(80_000, name, "'[]'"));
    let running = Running::on(store);
    // Every condition is true except the last one.
    let contained: String =
        ('a'..='z').chain('0'..='9').map(|sign| format!("&name=like:{sign}")).collect();
    let path = format!("{HISTORY}?limit=1{contained}&q=zq");
    let is_over = Arc::new(AtomicBool::new(false));
    let slow_pages = Arc::new(AtomicUsize::new(0));
    let slow = |admin: &Api| {
        let (admin, path, is_over) = (admin.clone(), path.clone(), Arc::clone(&is_over));
        let slow_pages = Arc::clone(&slow_pages);
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let answer = admin.get(&path);
                assert!([200, 503].contains(&answer.status), "{answer:?}");
                slow_pages.fetch_add(usize::from(answer.status == 200), Ordering::Relaxed);
            }
        })
    };
    // As many slow pages run at once as there are cores.
    let clients = 8 + 2 * thread::available_parallelism().unwrap().get();
    let clients: Vec<_> = (0..clients).map(|_| slow(&running.admin)).collect();
    let waiting = || running.metric("patrol_store_queue_length", &["slow_pages"]);
    eventually("slow pages that wait", || waiting().filter(|waiting| *waiting >= 1.0));
    // A list that has no thread for 5 s is refused.
    let (begin, slow_before) = (Instant::now(), slow_pages.load(Ordering::Relaxed));
    let mut short_lists = 0;
    while begin.elapsed() < Duration::from_secs(8) {
        let _ = running.admin.get("/locations?limit=1").ok();
        short_lists += 1;
    }
    let slow_pages = slow_pages.load(Ordering::Relaxed) - slow_before;
    is_over.store(true, Ordering::Relaxed);
    clients.into_iter().for_each(|client| client.join().unwrap());
    // Behind slow pages, a short list would come after several of them.
    assert!(short_lists > slow_pages, "{short_lists} short lists, {slow_pages} slow pages");
}

#[cfg(target_os = "linux")]
#[test]
fn records_of_megabytes_are_listed_in_little_memory() {
    let store = heavy();
    let tokens = [ADMIN, MANAGER, EMPLOYEE, GUARD].map(|user| store.token(user));
    let running = Running::on(store);
    let _ = running.admin.get("/locations/points/history?limit=1").ok();
    let before = running.server.peak_memory();
    for path in [HISTORY.to_owned(), format!("{HISTORY}?limit=1000")] {
        // Four long lists for each user.
        let mut readers: Vec<_> =
            (0..16).map(|n| ask(&running.server, &tokens[n % 4], &path)).collect();
        for reader in &mut readers {
            assert_eq!(reader.read_status(), 200);
        }
        for reader in &mut readers {
            let mut taken = 0;
            while taken < 5 << 20 {
                let read = reader.read(1 << 16).expect("the list goes on").len();
                assert!(read > 0, "the list ends");
                taken += read;
            }
        }
    }
    let grown = running.server.peak_growth(before);
    assert!(grown < 256_000_000, "{grown} beside {before}");
}

#[test]
fn the_log_stays_below_its_bound_while_a_client_reads_slowly() {
    const LIMIT: u64 = 16 << 20;
    let store = heavy();
    let token = store.token(ADMIN);
    let running = Running::set(store, &[("PATROL_WAL_LIMIT", "16 MiB")]);
    let mut slow = ask(&running.server, &token, HISTORY);
    assert_eq!(slow.read_status(), 200);
    let log = running.store.path("patrol.db-wal");
    let path = format!("/task-executions/{}", execution_id(1));
    let mut greatest = 0;
    for round in 0..600 {
        let description = format!("{round:010}").repeat(1_000);
        let _ = running.admin.patch(&path, &json!({ "description": description })).ok();
        greatest = greatest.max(log.metadata().unwrap().len());
    }
    assert!(greatest < LIMIT, "{greatest}");
    let rest = slow.read_to_end();
    assert!(!rest.is_ok_and(|body| body.ends_with(b"0\r\n\r\n")), "the list looks complete");
    let _ = running.server.log_once(|log| log.contains("PATROL_WAL_LIMIT"));
    // Other clients can still read.
    let point = running.admin.get(&format!("/locations/points/history?id={GATE}&limit=1"));
    assert_eq!(point.ok()["data"][0]["locationId"], PORT);
}
