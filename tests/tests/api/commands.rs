//! The commands, alone and beside a running server.

use std::{
    fs, thread,
    time::{Duration, SystemTime},
};

use patrol_tests::{
    DataSet, Running, Server, Store,
    company::{self, ADMIN, EMPLOYEE, NOBODY},
    execution_id, planned,
};
use serde_json::json;

#[test]
fn commands_beside_a_running_server_work() {
    let running = Running::with([planned(1)]);
    let list = "/task-executions/info?limit=0";
    let _ = running.store.run(&["migrate"]).exited(0);
    let _ = running.store.import(&DataSet::new([planned(2)])).exited(0);
    assert_eq!(running.admin.get(list).ok()["meta"]["count"], 2, "the server sees it");
    let exported = running.store.run(&["export", "-"]).exited(0).stdout;
    assert_eq!(exported.matches("\"taskExecution\"").count(), 2);
    let employee = running.api(EMPLOYEE);
    let _ = employee.get(list).ok();
}

#[test]
fn commands_beside_a_busy_server_work_and_so_does_the_server() {
    let running = Running::with((1..=8).map(planned));
    let writers: Vec<_> = (1..=8)
        .map(|n| {
            let admin = running.admin.clone();
            thread::spawn(move || {
                let path = format!("/task-executions/{}", execution_id(n));
                for round in 0..60 {
                    // While an import holds the lock, writes may be answered with 503.
                    let answer = admin.patch(&path, &json!({ "name": format!("round {round}") }));
                    assert!([200, 503].contains(&answer.status), "{}", answer.text());
                }
            })
        })
        .collect();
    for n in 100..105 {
        let _ = running.store.token(EMPLOYEE);
        let _ = running.store.import(&DataSet::new([planned(n)])).exited(0);
        let _ = running.store.run(&["export", "-"]).exited(0);
    }
    for writer in writers {
        writer.join().expect("no write failed otherwise");
    }
    let count = running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone();
    assert_eq!(count, 13);
}

#[test]
fn a_user_is_named_by_id_number_or_email() {
    let running = Running::with([]);
    for user in [ADMIN, "A1", "A1@example.org", "a1@EXAMPLE.org"] {
        let api = running.server.api().with_token(&running.store.token(user));
        let tokens = api.get("/tokens").ok();
        assert_eq!(tokens["data"][0]["userId"], ADMIN, "{user}");
    }
    for user in [NOBODY, "a2@example.org", "A9", ""] {
        let outcome = running.store.run(&["token", "create", "--user", user, "--name", "x"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{user}");
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
    }
}

#[test]
fn tokens_are_listed_a_line_each() {
    let store = Store::with(&company::company());
    let create = |user: &str, name: &str, expiry: &[&str]| {
        let mut arguments = vec!["token", "create", "--user", user, "--name", name];
        arguments.extend(expiry);
        let _ = store.run(&arguments).exited(0);
    };
    create(ADMIN, "one", &[]);
    create(EMPLOYEE, "two words", &["--expires-in", "90d"]);
    let listed = store.run(&["token", "list"]).exited(0).stdout;
    let lines: Vec<Vec<_>> = listed.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0][1..7], [ADMIN, "one", "-", "-", "A1", "A1@example.org"]);
    assert!(lines.iter().all(|line| line.len() == 8), "{listed}");
    assert_eq!(lines[1][1..3], [EMPLOYEE, "two words"]);
    assert!(lines[1][3].ends_with('Z') && lines[1][4] == "-", "{listed}");
    let own = store.run(&["token", "list", "--user", "E1"]).exited(0).stdout;
    assert_eq!(own.lines().collect::<Vec<_>>(), [lines[1].join("\t")]);
    let _ = store.run(&["token", "revoke", lines[0][0]]).exited(0);
    assert_eq!(store.run(&["token", "list"]).exited(0).stdout, own);
    let _ = store.run(&["token", "revoke", lines[0][0]]).exited(1);
    for expiry in ["10s", "5m", "12h", "1d"] {
        create(ADMIN, "x", &["--expires-in", expiry]);
    }
    for expiry in ["", "d", "1w", "-1d", "1.5h", "99999999999999999999d"] {
        let arguments = ["token", "create", "--user", ADMIN, "--name", "x", "--expires-in", expiry];
        let _ = store.run(&arguments).exited(2);
    }
}

#[test]
fn wrong_usage_is_two_and_one_line_says_why() {
    let store = Store::empty();
    for arguments in [
        &["fly"][..],
        &["import"],
        &["token"],
        &["token", "create"],
        &["serve", "--unknown"],
        &["serve", "--listen", "nowhere"],
        &["serve", "--workers", "many"],
        &["serve", "--log-format", "xml"],
        &["migrate", "--database-url", "mysql://x"],
        &["migrate", "--config", "missing.toml"],
    ] {
        let outcome = store.run(arguments).exited(2);
        assert_eq!(outcome.stdout, "", "{arguments:?}");
        assert!(!outcome.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_log_is_json_when_it_is_asked_for() {
    let store = Store::with(&company::company());
    let mut command = store.command(&["serve"]);
    command.env("PATROL_LOG_FORMAT", "json");
    let server = Server::run(command);
    assert_eq!(server.api().outside("/health/live").status, 200);
    for line in server.log().lines() {
        let entry: serde_json::Value = serde_json::from_str(line).expect("an object a line");
        assert!(entry.is_object());
    }
    assert_eq!(server.output(), "", "standard output is not for the log");
}

#[test]
fn all_tokens_of_a_user_are_revoked_together() {
    let store = Store::with(&company::company());
    for name in ["one", "two", "three"] {
        let _ = store.run(&["token", "create", "--user", EMPLOYEE, "--name", name]).exited(0);
    }
    let kept = store.token(ADMIN);
    let revoked = store.run(&["token", "revoke", "--user", "E1"]).exited(0);
    assert_eq!(revoked.stdout, "3 tokens revoked\n");
    let listed = store.run(&["token", "list"]).exited(0).stdout;
    assert!(listed.lines().count() == 1 && listed.contains(ADMIN), "{listed}");
    let again = store.run(&["token", "revoke", "--user", "E1"]).exited(0);
    assert_eq!(again.stdout, "0 tokens revoked\n");
    let _ = store.run(&["token", "revoke", "--user", "nobody"]).exited(1);
    let _ = store.run(&["token", "revoke"]).exited(2);
    let _ = store.run(&["token", "revoke", "--user", "E1", ADMIN]).exited(2);
    assert!(kept.starts_with("ptl_"));
}

#[test]
fn an_export_says_how_much_it_wrote_and_replaces_nothing_by_nothing() {
    let store = Store::empty();
    let _ = store.run(&["migrate"]).exited(0);
    let file = store.path("good.ndjson");
    fs::write(&file, "{\"kind\":\"location\"}\n").unwrap();
    let refused = store.run(&["export", "good.ndjson"]).exited(1);
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"kind\":\"location\"}\n");
    let forced = store.run(&["export", "--force", "good.ndjson"]).exited(0);
    assert!(forced.stderr.contains("exported 0 records"), "{}", forced.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
    let _ = store.import(&company::company()).exited(0);
    let written = store.run(&["export", "good.ndjson"]).exited(0);
    let lines = fs::read_to_string(&file).unwrap().lines().count();
    assert!(written.stderr.contains(&format!("exported {lines} records")), "{}", written.stderr);
    let names: Vec<_> = fs::read_dir(store.path("")).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains(".patrol-export-")));
}

#[test]
fn check_removes_nothing_when_the_store_knows_no_user() {
    let store = Store::empty();
    let _ = store.run(&["migrate"]).exited(0);
    let _ = store.run(&["check"]).exited(0);
    let photo = store.path("data/photos/0190a000-0000-7000-8000-0000000000a1");
    fs::create_dir_all(photo.parent().unwrap()).unwrap();
    fs::write(&photo, "x").unwrap();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    fs::File::options().write(true).open(&photo).unwrap().set_modified(old).unwrap();
    for arguments in [&["check"][..], &["check", "--dry-run"]] {
        let refused = store.run(arguments).exited(1);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
        assert!(refused.stderr.contains("no user"), "{}", refused.stderr);
        assert!(photo.exists());
    }
    let _ = store.import(&company::company()).exited(0);
    let _ = store.run(&["check"]).exited(0);
    assert!(!photo.exists());
}
