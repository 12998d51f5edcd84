//! Wrong usage and configuration.

use std::process::Stdio;

use crate::workspace::Workspace;

#[test]
fn without_a_command_the_usage_is_shown_with_exit_2() {
    let done = Workspace::new().run(&[]);
    assert_eq!((done.code, done.out.as_str()), (Some(2), ""));
    for command in ["serve", "migrate", "import", "export", "token", "user", "backup", "check"] {
        assert!(done.err.contains(command), "{}", done.err);
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let workspace = Workspace::new();
    let version = workspace.run(&["--version"]).ok();
    let commit = version
        .strip_prefix(concat!("patrol ", env!("CARGO_PKG_VERSION"), " ("))
        .and_then(|rest| rest.strip_suffix(")\n"));
    let is_commit = |text: &str| text.len() == 12 && text.chars().all(|c| c.is_ascii_hexdigit());
    assert!(commit.is_some_and(|text| text == "unknown" || is_commit(text)), "{version}");
    let help = workspace.run(&["serve", "--help"]).ok();
    for part in ["--demo", "--listen", "PATROL_LISTEN", "127.0.0.1:8080", "Examples:"] {
        assert!(help.contains(part), "{help}");
    }
    assert!(workspace.names().is_empty());
}

#[test]
fn wrong_usage_is_exit_2() {
    let workspace = Workspace::new();
    for (line, says) in [
        (&["polish"][..], "polish"),
        (&["import"], "FILE"),
        (&["migrate", "--lisen", "x"], "--lisen"),
        (&["token", "create", "--user", "anna"], "--name"),
        (&["token", "revoke", "17"], "17"),
        (&["--config"], "--config"),
    ] {
        let error = workspace.run(line).failed(2);
        assert!(error.contains(says), "{error}");
        assert!(error.contains("--help"), "{error}");
    }
}

#[test]
fn an_invalid_value_is_reported_with_its_setting_and_source() {
    let workspace = Workspace::new();
    let error = workspace.run(&["migrate", "--workers", "many"]).failed(2);
    assert!(error.contains("--workers") && error.contains("many"), "{error}");
    let output = workspace.command(&["migrate"]).env("PATROL_LISTEN", "here").output().unwrap();
    let error = crate::workspace::Done::from(output).failed(2);
    assert!(error.contains("PATROL_LISTEN") && error.contains("here"), "{error}");
    workspace.write("patrol.toml", "log = 'loud'\n");
    let error = workspace.run(&["token", "list"]).failed(2);
    assert!(error.contains("patrol.toml: log") && error.contains("loud"), "{error}");
    assert_eq!(workspace.names(), ["patrol.toml"]);
}

#[test]
fn every_command_reads_the_file_and_reports_unknown_keys() {
    let workspace = Workspace::new();
    workspace.write("patrol.toml", "database_url = 'sqlite:here/a.db'\nlisten_on = 1\n");
    for line in [
        &["serve"][..],
        &["migrate"],
        &["import", "-"],
        &["export", "-"],
        &["token", "list"],
        &["backup", "b.db"],
        &["check"],
    ] {
        let error = workspace.run(line).failed(2);
        assert!(error.contains("unknown key `listen_on`"), "{error}");
    }
    workspace.write("patrol.toml", "database_url = 'sqlite:here/a.db'\n");
    workspace.run(&["migrate"]).ok();
    assert!(workspace.path("here/a.db").is_file());
}

#[test]
fn a_file_given_by_flag_must_exist() {
    let workspace = Workspace::new();
    let error = workspace.run(&["migrate", "--config", "none.toml"]).failed(2);
    assert!(error.contains("none.toml"), "{error}");
    workspace.write("other.toml", "database_url = 'sqlite:other.db'\n");
    workspace.run(&["--config", "other.toml", "migrate"]).ok();
    assert!(workspace.path("other.db").is_file());
}

#[test]
fn a_wrong_setting_is_exit_2_and_no_password_is_shown() {
    let workspace = Workspace::new();
    let url = "postgres://patrol:hunter2@db/patrol";
    for (line, says) in [
        (&["serve", "--database-url", "postgres://u:hunter2@h:x/db"][..], "database_url"),
        (&["token", "list", "--database-url", "postgres://u:hunter2@/d?x=y"], "database_url"),
        (&["backup", "b.db", "--database-url", url], "pg_dump"),
        (&["serve", "--database-url", "mysql://root:hunter2@db/x"], "sqlite:"),
        (&["serve", "--photos-url", "s3://key:hunter2@bucket/p"], "AWS_"),
        (&["serve", "--auth-jwt-jwks", "https://u:hunter2@id/jwks"], "JWT"),
    ] {
        let error = workspace.run(line).failed(2);
        assert!(error.contains(says) && !error.contains("hunter2"), "{error}");
    }
    workspace.write("patrol.toml", "database_url = postgres://patrol:hunter2@db/patrol\n");
    let error = workspace.run(&["migrate"]).failed(2);
    assert!(error.contains("line 1") && !error.contains("hunter2"), "{error}");
}

#[test]
fn a_token_in_the_place_of_an_id_is_not_repeated() {
    let workspace = Workspace::new();
    let token = "ptl_uTAHzhglUw7Qb2";
    for line in [&["token", "revoke", token][..], &["token", "revoke", "--usr", token], &[token]] {
        let error = workspace.run(line).failed(2);
        assert!(!error.contains("uTAH"), "{error}");
    }
    workspace.run(&["migrate"]).ok();
    let error = workspace.run(&["token", "revoke", "--user", token]).failed(1);
    assert!(error.contains("email ptl_***") && !error.contains("uTAH"), "{error}");
}

#[test]
fn a_path_that_cannot_be_created_is_exit_1_with_path_and_reason() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    for command in ["serve", "migrate"] {
        let line = [command, "--database-url", "sqlite:file/patrol.db", "--listen", "127.0.0.1:0"];
        let error = workspace.run(&line).failed(1);
        assert!(error.contains("file/patrol.db"), "{error}");
        assert!(error.contains("exists") || error.contains("directory"), "{error}");
    }
    workspace.write("text.db", &"no database ".repeat(100));
    let error = workspace.run(&["migrate", "--database-url", "sqlite:text.db"]).failed(1);
    assert!(error.contains("text.db") && error.contains("not a database"), "{error}");
}

#[test]
fn a_closed_pipe_does_not_panic() {
    let workspace = Workspace::new();
    let mut child = workspace
        .command(&["serve", "--help"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.as_mut().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
