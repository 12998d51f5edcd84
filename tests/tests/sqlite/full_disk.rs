//! A full disk loses no acknowledged change.

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

use patrol_tests::{Api, Server, Store, company, company::ADMIN, execution_id, planned};
use serde_json::json;

/// A server whose files cannot grow more than `room` bytes beyond the current size of the database.
/// The system refuses the write, as on a full disk.
fn on_a_full_disk(store: &Store, room: u64) -> Server {
    let blocks = (fs::metadata(store.database()).unwrap().len() + room) / 512;
    let inner = store.command(&["serve"]);
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""))
        .arg("sh")
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(directory) = inner.get_current_dir() {
        command.current_dir(directory);
    }
    Server::run(command)
}

#[test]
fn on_a_full_disk_acknowledged_writes_stay_and_refused_writes_do_not() {
    let store = Store::sqlite().and(&company::company().and((1..=16).map(planned)));
    let token = store.token(ADMIN);
    let server = on_a_full_disk(&store, 400_000);
    let refused = AtomicU32::new(0);
    let api = server.api().with_token(&token);
    // Descriptions grow until there is no space; each writer records the acknowledged one.
    let acknowledged: Vec<Option<String>> = thread::scope(|scope| {
        let writers: Vec<_> = (1..=16)
            .map(|n| {
                let (api, refused) = (&api, &refused);
                scope.spawn(move || {
                    let path = format!("/task-executions/{}", execution_id(n));
                    let mut last = None;
                    for round in 0..60_usize {
                        let text = format!("{round} {}", "x".repeat(150 * round));
                        let answer = api.patch(&path, &json!({ "description": text }));
                        match answer.status {
                            200 => last = Some(text),
                            503 => {
                                let _ = answer.refused(503, "service.unavailable");
                                assert_eq!(answer.header("Retry-After"), Some("1"));
                                refused.fetch_add(1, Ordering::Relaxed);
                            }
                            other => panic!("{other}: {}", answer.text()),
                        }
                    }
                    last
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert!(refused.into_inner() > 0, "the disk was never full");
    let check = |api: &Api| {
        for (n, last) in (1..).zip(&acknowledged) {
            let record = api.get(&format!("/task-executions/{}", execution_id(n))).ok();
            match last {
                Some(text) => assert_eq!(record["description"], *text, "{n}"),
                None => assert_eq!(record["description"], "Along the fence", "{n}"),
            }
        }
    };
    // Reads still work, and another process finds the same data.
    check(&api);
    server.kill();
    store.check_integrity();
    let server = Server::start(&store);
    let api = server.api().with_token(&token);
    check(&api);
    let path = format!("/task-executions/{}", execution_id(1));
    let _ = api.patch(&path, &json!({ "description": "room again" })).ok();
}
