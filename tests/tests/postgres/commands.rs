//! Commands that behave differently on PostgreSQL.

use std::{io::Write, process::Stdio, time::Duration};

use patrol_test_servers::postgres::{Database, execute, query};
use patrol_tests::{
    DataSet, NEEDING_A_STORE, Running, Store, action_id, company, planned, step_id, with,
};
use serde_json::{Value, json};

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
fn a_database_without_a_store_and_one_of_another_age_are_told() {
    let empty = Database::empty();
    let store = Store::elsewhere(&empty.url());
    for arguments in NEEDING_A_STORE {
        let outcome = store.run(arguments).exited(1);
        assert!(outcome.stderr.contains("holds no store"), "{}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{arguments:?}");
    }
    assert!(query(&empty.url(), "SELECT relname FROM pg_stat_user_tables").is_empty());
    let store = Store::postgres().and(&company::company());
    let versions = "__diesel_schema_migrations";
    execute(&store.url(), &format!("INSERT INTO {versions} (version) VALUES ('29991231000001')"));
    let newer = store.run(&["export", "-"]).exited(0);
    assert!(newer.stderr.contains("newer than this program"), "{}", newer.stderr);
    execute(&store.url(), &format!("DELETE FROM {versions} WHERE version >= '20251128000035'"));
    for arguments in NEEDING_A_STORE {
        let older = store.run(arguments).exited(1);
        assert!(older.stderr.contains("older than this program"), "{}", older.stderr);
        assert!(older.stderr.contains("patrol migrate"), "{}", older.stderr);
    }
}

#[test]
fn an_export_of_either_store_is_the_same_in_the_other() {
    let first = Running::on(Store::sqlite().and(&company::company().and([planned(1), planned(2)])));
    let id = |n: u32| format!("0190a000-000c-7000-8000-{n:012x}");
    let entry = |n: u32, kind: &str, changes: Value| {
        with(json!({ "id": id(n), "type": kind, "at": "2026-01-31T08:00:00Z" }), changes)
    };
    let result = |step, action| json!({ "stepId": step_id(1, step), "actionId": action_id(1, action), "textValue": "dry" });
    let entries = [
        entry(9, "START", json!({})),
        entry(3, "RESULT", result(2, 3)),
        entry(2, "RESULT", result(1, 3)),
        entry(5, "FINISH_STEP", json!({ "stepId": step_id(1, 2) })),
    ];
    for n in [2, 1] {
        let path = format!("{}/reports", path(n));
        let note = entry(20 + n, "NOTE", json!({}));
        let _ = first.admin.post(&path, &json!([note])).ok();
    }
    let _ = first.admin.post(&format!("{}/reports", path(1)), &json!(entries)).ok();
    let exported = first.exported();
    assert_eq!(exported.matches("\"kind\":\"report\"").count(), 6);
    for store in [Store::postgres(), Store::sqlite()] {
        let _ = store.run_with(&["import", "-"], exported.clone()).exited(0);
        let moved = Running::on(store);
        assert_eq!(moved.exported(), exported);
        assert_eq!(moved.read(1), first.read(1));
        let reports = format!("{}/reports", path(1));
        assert_eq!(moved.admin.get(&reports).ok(), first.admin.get(&reports).ok());
    }
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
