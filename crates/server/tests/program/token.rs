//! `token create`, `token list` and `token revoke`.

use std::process::Stdio;

use crate::workspace::{ANNA, COMPANY, Workspace};

#[test]
fn a_user_is_found_by_id_number_or_email_and_only_the_token_is_printed() {
    let workspace = Workspace::with(COMPANY);
    for user in [ANNA, "0042", "anna@example.org", "ANNA@example.org"] {
        let token = workspace.run(&["token", "create", "--user", user, "--name", "laptop"]).ok();
        let secret = token.strip_prefix("ptl_").unwrap().strip_suffix('\n').unwrap();
        assert_eq!(secret.len(), 43, "{token}");
        assert!(secret.bytes().all(|letter| letter.is_ascii_alphanumeric()), "{token}");
    }
    assert_eq!(workspace.run(&["token", "list"]).ok().lines().count(), 4);
}

#[test]
fn an_inactive_or_unknown_user_gets_no_token() {
    let workspace = Workspace::with(COMPANY);
    let create = |user, name| workspace.run(&["token", "create", "--user", user, "--name", name]);
    let error = create("0043", "x").failed(1);
    assert!(error.contains("not ACTIVE"), "{error}");
    for user in ["0044", "0190a000-0000-7000-8000-0000000000ff", ""] {
        let error = create(user, "x").failed(1);
        assert!(error.contains("no user"), "{error}");
    }
    for name in ["", &"x".repeat(256)] {
        let error = create(ANNA, name).failed(2);
        assert!(error.contains("--name"), "{error}");
    }
    for length in ["90", "0d", "3w", "-1d", "", "999999999d"] {
        let line = ["token", "create", "--user", ANNA, "--name", "x"];
        let flag = format!("--expires-in={length}");
        let error = workspace.run(&[&line[..], &[&flag]].concat()).failed(2);
        assert!(error.contains("expires-in"), "{error}");
    }
    assert_eq!(workspace.run(&["token", "list"]).ok(), "");
}

#[test]
fn tokens_are_listed_and_revoked() {
    let second = COMPANY.replace("INACTIVE", "ACTIVE");
    let workspace = Workspace::with(&second);
    let create = |user: &str, rest: &[&str]| {
        workspace.run(&[&["token", "create", "--user", user], rest].concat()).ok()
    };
    create(ANNA, &["--name", "lap\ttop\n2", "--expires-in", "90d"]);
    create("0043", &["--name", "ночь"]);
    let all = workspace.run(&["token", "list"]).ok();
    let rows: Vec<Vec<_>> = all.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row.len() == 8), "{all}");
    assert_eq!(rows[0][5..], ["0042", "anna@example.org", "Anna Berg"]);
    assert_eq!(rows[0][1..3], [ANNA, "lap\\ttop\\n2"]);
    assert!(rows[0][3].ends_with('Z') && rows[0][3].len() == 24, "{all}");
    assert_eq!(rows[1][2..7], ["ночь", "-", "-", "0043", "-"]);

    let own = workspace.run(&["token", "list", "--user", "0043"]).ok();
    assert_eq!(own.lines().collect::<Vec<_>>(), [rows[1].join("\t")]);
    let error = workspace.run(&["token", "list", "--user", "0044"]).failed(1);
    assert!(error.contains("no user"), "{error}");

    assert_eq!(workspace.run(&["token", "revoke", rows[0][0]]).ok(), "");
    assert_eq!(workspace.run(&["token", "list"]).ok(), own);
    let error = workspace.run(&["token", "revoke", rows[0][0]]).failed(1);
    assert!(error.contains(rows[0][0]), "{error}");
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let workspace = Workspace::with(COMPANY);
    workspace.run(&["token", "create", "--user", ANNA, "--name", "a"]).ok();
    let mut command = workspace.command(&["token", "list"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{done:?}");
    assert!(done.stderr.is_empty(), "{done:?}");
}
