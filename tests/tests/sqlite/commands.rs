//! Commands whose effect depends on the store being a file.

use std::{fs, io::Write, process::Stdio, thread, time::Duration};

use patrol_tests::{DataSet, Running, Store, company, execution_id, planned};
use serde_json::json;

/// A store with the company.
fn company() -> Store {
    Store::sqlite().and(&company::company())
}

#[test]
fn a_backup_beside_a_busy_server_is_whole() {
    let running = Running::on(company().and(&DataSet::new([planned(1), planned(2)])));
    let writer = {
        let admin = running.admin.clone();
        let path = format!("/task-executions/{}", execution_id(1));
        thread::spawn(move || {
            for round in 0..100 {
                let _ = admin.patch(&path, &json!({ "name": format!("round {round}") })).ok();
            }
        })
    };
    let copy_to = |name: &str| {
        let backup = running.store.path(name);
        let _ = running.store.run(&["backup", backup.to_str().unwrap()]).exited(0);
        let restored = Store::sqlite();
        fs::copy(&backup, restored.database()).unwrap();
        restored.run(&["export", "-"]).exited(0).stdout
    };
    for n in 0..5 {
        let copy = copy_to(&format!("{n}.db"));
        assert_eq!(copy.matches("\"taskExecution\"").count(), 2);
    }
    writer.join().expect("no write failed");
    assert_eq!(copy_to("last.db"), running.exported());
}

#[test]
fn while_an_import_runs_reads_go_on_and_writes_are_told_to_come_again() {
    let running = Running::on(company().and(&DataSet::new([planned(1)])));
    let mut import = running
        .store
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    input.write_all(DataSet::new([planned(2)]).to_string().as_bytes()).unwrap();
    thread::sleep(Duration::from_secs(1));
    let path = format!("/task-executions/{}", execution_id(1));
    let write = running.admin.patch(&path, &json!({ "name": "x" }));
    let _ = write.refused(503, "service.unavailable");
    assert_eq!(write.header("Retry-After"), Some("1"));
    assert_eq!(running.read(1)["name"], "Round 1");
    let count = || running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone();
    assert_eq!(count(), 1, "nothing of it is seen before its end");
    drop(input);
    assert!(import.wait().unwrap().success());
    assert_eq!(count(), 2);
    let _ = running.admin.patch(&path, &json!({ "name": "x" })).ok();
}

#[test]
fn a_flag_wins_over_a_variable_and_that_over_the_file() {
    let store = company();
    let elsewhere = |name: &str| format!("sqlite:{}", store.path(name).display());
    fs::write(store.path("patrol.toml"), format!("database_url = '{}'\n", elsewhere("file.db")))
        .unwrap();
    let migrate = |variable: Option<&str>, flag: Option<&str>| {
        let mut command = store.command(&["migrate"]);
        command.env_remove("PATROL_DATABASE_URL");
        if let Some(name) = variable {
            command.env("PATROL_DATABASE_URL", elsewhere(name));
        }
        if let Some(name) = flag {
            command.args(["--database-url", &elsewhere(name)]);
        }
        assert!(command.status().unwrap().success());
    };
    let made = |name: &str| store.path(name).is_file();
    migrate(Some("variable.db"), Some("flag.db"));
    assert!(made("flag.db") && !made("variable.db") && !made("file.db"));
    migrate(Some("variable.db"), None);
    assert!(made("variable.db") && !made("file.db"));
    migrate(None, None);
    assert!(made("file.db"));
    fs::write(store.path("patrol.toml"), "database = 'x'\n").unwrap();
    let outcome = store.run(&["migrate"]).exited(2);
    assert!(outcome.stderr.contains("database"), "{}", outcome.stderr);
}

#[test]
fn a_store_that_cannot_be_made_ends_the_program_at_once() {
    let store = Store::sqlite();
    fs::write(store.path("file"), "").unwrap();
    let path = format!("sqlite:{}", store.path("file/below.db").display());
    for command in ["serve", "migrate"] {
        let outcome = store.run(&[command, "--database-url", &path, "--listen", "127.0.0.1:0"]);
        let outcome = outcome.exited(1);
        assert_eq!(outcome.stdout, "");
    }
    fs::write(store.database(), "this is no database, whatever its name says\n".repeat(100))
        .unwrap();
    let _ = store.run(&["migrate"]).exited(1);
}

#[test]
fn a_backup_does_not_overwrite() {
    let store = company();
    fs::write(store.path("there.db"), "precious").unwrap();
    let path = store.path("there.db");
    let _ = store.run(&["backup", path.to_str().unwrap()]).exited(1);
    assert_eq!(fs::read_to_string(path).unwrap(), "precious");
}
