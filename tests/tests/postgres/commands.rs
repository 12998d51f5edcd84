//! Commands that behave differently on PostgreSQL.

use std::{io::Write, process::Stdio, time::Duration};

use patrol_tests::{DataSet, Running, Store, company, planned};
use serde_json::json;

use crate::{LIST, path};
use patrol_tests::within;

#[test]
fn a_backup_is_left_to_pg_dump() {
    let store = Store::postgres();
    let outcome = store.run(&["backup", "copy.db"]).exited(2);
    assert!(outcome.stderr.contains("pg_dump"), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    assert!(!store.path("copy.db").exists());
}

#[test]
fn while_an_import_runs_everything_else_goes_on() {
    let running = Running::on(Store::postgres().and(&company::company().and([planned(1)])));
    let mut import = running
        .store
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    let many = DataSet::new((2..=500).map(planned));
    input.write_all(many.to_string().as_bytes()).unwrap();
    let open = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() \
                AND state = 'idle in transaction'";
    within(Duration::from_secs(30), "the import waits for more", || {
        !patrol_test_servers::postgres::query(&running.store.url(), open).is_empty()
    });
    for round in 0..10 {
        let name = format!("round {round}");
        let _ = running.admin.patch(&path(1), &json!({ "name": name })).ok();
        assert_eq!(running.read(1)["name"], *name);
        assert_eq!(running.admin.get(LIST).ok()["meta"]["count"], 1, "nothing is seen of it");
    }
    let _ = running.store.token(company::EMPLOYEE);
    drop(input);
    assert!(import.wait().unwrap().success());
    assert_eq!(running.admin.get(LIST).ok()["meta"]["count"], 500);
}
