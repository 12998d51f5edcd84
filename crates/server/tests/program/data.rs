//! `migrate`, `import`, `export` and `backup`.

use std::io::Write;

use crate::site::{ANNA, COMPANY, Site};

#[test]
fn migrate_makes_a_store_that_holds_nothing() {
    let site = Site::new();
    assert_eq!(site.run(&["migrate"]).ok(), "");
    assert!(site.path("data/patrol.db").is_file());
    assert_eq!(site.run(&["migrate"]).ok(), "");
    assert_eq!(site.run(&["export", "-"]).ok(), "");
}

#[test]
fn what_was_imported_is_exported_and_imported_again() {
    let site = Site::new();
    site.write("company.ndjson", COMPANY);
    let done = site.run(&["import", "company.ndjson"]);
    assert!(done.err.contains("imported 3 records"), "{done:?}");
    assert_eq!(done.ok(), "");
    let out = site.run(&["export", "-"]).ok();
    assert_eq!(out.lines().count(), 3);
    assert!(out.contains("Порт, склад 3") && out.contains("anna@example.org"), "{out}");

    let done = site.run(&["export", "export.ndjson"]);
    assert!(done.err.contains("exported 3 records"), "{done:?}");
    assert_eq!(done.ok(), "");
    assert_eq!(site.read("export.ndjson"), out);
    assert_eq!(site.names(), ["company.ndjson", "data", "export.ndjson"]);
    let other = Site::with(&out);
    assert_eq!(other.run(&["export", "-"]).ok(), out);
}

#[test]
fn an_import_that_is_wrong_names_line_and_field_and_leaves_nothing() {
    let site = Site::new();
    let bad = format!("{COMPANY}\n{}", COMPANY.lines().next().unwrap().replace("склад", "док"));
    let error = site.run_with_input(&["import", "-"], &bad).failed(1);
    assert!(error.contains("line 5: id: "), "{error}");
    let bad = COMPANY.replace("ADMIN", "KING");
    site.write("bad.ndjson", &bad);
    let error = site.run(&["import", "bad.ndjson"]).failed(1);
    assert!(error.contains("bad.ndjson: line 2: role: "), "{error}");
    let error = site.run_with_input(&["import", "-"], &format!("{COMPANY}{{\"kind\":")).failed(1);
    assert!(error.contains("line 4: "), "{error}");
    assert_eq!(site.run(&["export", "-"]).ok(), "");
}

#[test]
fn bounds_are_settings_of_an_import_too() {
    let site = Site::new();
    site.write("company.ndjson", COMPANY);
    let error = site.run(&["import", "company.ndjson", "--limit-name", "5"]).failed(1);
    assert!(error.contains("line 1: name: "), "{error}");
}

#[test]
fn what_cannot_be_read_is_exit_1() {
    let site = Site::new();
    let error = site.run(&["import", "none.ndjson"]).failed(1);
    assert!(error.contains("none.ndjson"), "{error}");
    let error = site.run(&["import", "."]).failed(1);
    assert!(error.contains("folder"), "{error}");
}

#[test]
fn an_export_replaces_a_file_only_when_it_is_complete() {
    let site = Site::with(COMPANY);
    site.write("old.ndjson", "old\n");
    site.run(&["export", "old.ndjson"]).ok();
    assert_eq!(site.read("old.ndjson").lines().count(), 3);
    let error = site.run(&["export", "none/x.ndjson"]).failed(1);
    assert!(error.contains("none/x.ndjson"), "{error}");
    let error = site.run(&["export", "data"]).failed(1);
    assert!(error.contains("data"), "{error}");
    site.run(&["export", "/dev/null"]).ok();
    assert_eq!(site.names(), ["data", "old.ndjson"]);
}

#[test]
fn a_backup_is_a_store_and_never_replaces_a_file() {
    let site = Site::with(COMPANY);
    assert_eq!(site.run(&["backup", "copy.db"]).ok(), "");
    let copied = site.run(&["export", "-", "--database-url", "sqlite:copy.db"]).ok();
    assert_eq!(copied, site.run(&["export", "-"]).ok());
    let error = site.run(&["backup", "copy.db"]).failed(1);
    assert!(error.contains("copy.db exists already"), "{error}");
    let error = site.run(&["backup", "none/copy.db"]).failed(1);
    assert!(error.contains("none/copy.db"), "{error}");
}

#[test]
fn a_command_waits_for_an_import_beside_it() {
    let site = Site::with(COMPANY);
    let mut import = site.start(&["import", "-"]);
    let mut input = import.stdin.take().unwrap();
    let location = COMPANY.lines().next().unwrap().replace("000000000001", "000000000002");
    writeln!(input, "{location}").unwrap();
    // The import holds the lock until its input ends.
    let writing = site.start(&["token", "create", "--user", ANNA, "--name", "beside"]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(input);
    assert!(import.wait().unwrap().success());
    let token = crate::site::Done::from(writing.wait_with_output().unwrap()).ok();
    assert!(token.starts_with("ptl_"), "{token}");
    assert_eq!(site.run(&["export", "-"]).ok().lines().count(), 4);
}

#[test]
fn a_backup_of_no_store_is_an_error_and_makes_neither() {
    let site = Site::new();
    let error = site.run(&["backup", "copy.db"]).failed(1);
    assert!(error.contains("there is no store at data/patrol.db"), "{error}");
    assert!(site.names().is_empty());
}
