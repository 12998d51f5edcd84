//! `migrate`, `import`, `export` and `backup`.

use std::io::Write;

use crate::workspace::{ANNA, COMPANY, Workspace};

#[test]
fn migrate_creates_an_empty_store() {
    let workspace = Workspace::new();
    assert_eq!(workspace.run(&["migrate"]).ok(), "");
    assert!(workspace.path("data/patrol.db").is_file());
    assert_eq!(workspace.run(&["migrate"]).ok(), "");
    assert_eq!(workspace.run(&["export", "-"]).ok(), "");
}

#[test]
fn an_export_can_be_imported_again() {
    let workspace = Workspace::new();
    workspace.write("company.ndjson", COMPANY);
    let done = workspace.run(&["import", "company.ndjson"]);
    assert!(done.err.contains("imported 3 records"), "{done:?}");
    assert_eq!(done.ok(), "");
    let out = workspace.run(&["export", "-"]).ok();
    assert_eq!(out.lines().count(), 3);
    assert!(out.contains("Порт, склад 3") && out.contains("anna@example.org"), "{out}");

    let done = workspace.run(&["export", "export.ndjson"]);
    assert!(done.err.contains("exported 3 records"), "{done:?}");
    assert_eq!(done.ok(), "");
    assert_eq!(workspace.read("export.ndjson"), out);
    assert_eq!(workspace.names(), ["company.ndjson", "data", "export.ndjson"]);
    let other = Workspace::with(&out);
    assert_eq!(other.run(&["export", "-"]).ok(), out);
}

#[test]
fn an_invalid_import_reports_line_and_field_and_stores_nothing() {
    let workspace = Workspace::new();
    let bad = format!("{COMPANY}\n{}", COMPANY.lines().next().unwrap().replace("склад", "док"));
    let error = workspace.run_with_input(&["import", "-"], &bad).failed(1);
    assert!(error.contains("line 5: id: "), "{error}");
    let bad = COMPANY.replace("ADMIN", "KING");
    workspace.write("bad.ndjson", &bad);
    let error = workspace.run(&["import", "bad.ndjson"]).failed(1);
    assert!(error.contains("bad.ndjson: line 2: role: "), "{error}");
    let error =
        workspace.run_with_input(&["import", "-"], &format!("{COMPANY}{{\"kind\":")).failed(1);
    assert!(error.contains("line 4: "), "{error}");
    assert_eq!(workspace.run(&["export", "-"]).ok(), "");
}

#[test]
fn bounds_of_fields_apply_to_an_import() {
    let workspace = Workspace::new();
    workspace.write("company.ndjson", COMPANY);
    let error = workspace.run(&["import", "company.ndjson", "--limit-name", "5"]).failed(1);
    assert!(error.contains("line 1: name: "), "{error}");
}

#[test]
fn an_unreadable_input_is_exit_1() {
    let workspace = Workspace::new();
    let error = workspace.run(&["import", "none.ndjson"]).failed(1);
    assert!(error.contains("none.ndjson"), "{error}");
    let error = workspace.run(&["import", "."]).failed(1);
    assert!(error.contains("folder"), "{error}");
}

#[test]
fn an_export_replaces_a_file_only_when_it_is_complete() {
    let workspace = Workspace::with(COMPANY);
    workspace.write("old.ndjson", "old\n");
    workspace.run(&["export", "old.ndjson"]).ok();
    assert_eq!(workspace.read("old.ndjson").lines().count(), 3);
    let error = workspace.run(&["export", "none/x.ndjson"]).failed(1);
    assert!(error.contains("none/x.ndjson"), "{error}");
    let error = workspace.run(&["export", "data"]).failed(1);
    assert!(error.contains("data"), "{error}");
    workspace.run(&["export", "/dev/null"]).ok();
    assert_eq!(workspace.names(), ["data", "old.ndjson"]);
}

#[test]
fn a_backup_is_a_store_and_never_replaces_a_file() {
    let workspace = Workspace::with(COMPANY);
    assert_eq!(workspace.run(&["backup", "copy.db"]).ok(), "");
    let copied = workspace.run(&["export", "-", "--database-url", "sqlite:copy.db"]).ok();
    assert_eq!(copied, workspace.run(&["export", "-"]).ok());
    let error = workspace.run(&["backup", "copy.db"]).failed(1);
    assert!(error.contains("copy.db exists already"), "{error}");
    let error = workspace.run(&["backup", "none/copy.db"]).failed(1);
    assert!(error.contains("none/copy.db"), "{error}");
}

#[test]
fn a_command_waits_for_a_running_import() {
    let workspace = Workspace::with(COMPANY);
    let mut import = workspace.start(&["import", "-"]);
    let mut input = import.stdin.take().unwrap();
    let location = COMPANY.lines().next().unwrap().replace("000000000001", "000000000002");
    writeln!(input, "{location}").unwrap();
    // The import holds the lock until its input ends.
    let writing = workspace.start(&["token", "create", "--user", ANNA, "--name", "beside"]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(input);
    assert!(import.wait().unwrap().success());
    let token = crate::workspace::Done::from(writing.wait_with_output().unwrap()).ok();
    assert!(token.starts_with("ptl_"), "{token}");
    assert_eq!(workspace.run(&["export", "-"]).ok().lines().count(), 4);
}

#[test]
fn a_backup_of_a_missing_store_creates_no_file() {
    let workspace = Workspace::new();
    let error = workspace.run(&["backup", "copy.db"]).failed(1);
    assert!(error.contains("there is no store at data/patrol.db"), "{error}");
    assert!(workspace.names().is_empty());
}
