//! `user invite`.

use crate::workspace::{ANNA, COMPANY, Workspace};

/// The code of the link that was printed, which has to begin with `origin`.
fn code(printed: &str, origin: &str) -> String {
    let code = printed.strip_prefix(&format!("{origin}/invitation/"));
    let code = code.and_then(|code| code.strip_suffix('\n'));
    let code = code.unwrap_or_else(|| panic!("{printed}")).to_owned();
    assert!(code.len() == 43 && code.bytes().all(|at| at.is_ascii_alphanumeric()), "{printed}");
    code
}

#[test]
fn an_invitation_is_a_link_alone_on_a_line() {
    let workspace = Workspace::with(COMPANY);
    let mut codes = Vec::new();
    for user in [ANNA, "0042", "ANNA@example.org"] {
        let printed = workspace.run(&["user", "invite", user]).ok();
        codes.push(code(&printed, "http://127.0.0.1:8080"));
    }
    codes.dedup();
    assert_eq!(codes.len(), 3);
    // The store does not contain a code.
    let store = std::fs::read(workspace.path("data/patrol.db")).unwrap();
    for code in codes {
        assert!(!store.windows(code.len()).any(|part| part == code.as_bytes()));
    }
}

#[test]
fn a_link_begins_with_the_address_of_the_site() {
    let workspace = Workspace::with(COMPANY);
    let invite = |rest: &[&str]| workspace.run(&[&["user", "invite", ANNA], rest].concat());
    for (flags, origin) in [
        (&["--public-url", "https://Patrol.example.org:443"][..], "https://patrol.example.org"),
        (&["--listen", "0.0.0.0:81"], "http://127.0.0.1:81"),
        (&["--tls-certificate", "a", "--tls-key", "b"], "https://127.0.0.1:8080"),
    ] {
        code(&invite(flags).ok(), origin);
    }
    let error = invite(&["--listen", "127.0.0.1:0"]).failed(2);
    assert!(error.contains("--public-url"), "{error}");
    for bad in ["patrol.example.org", "https://patrol.example.org/", "ftp://a", "https://a?b", "*"]
    {
        let error = invite(&["--public-url", bad]).failed(2);
        assert!(error.contains("--public-url: "), "{error}");
    }
}

#[test]
fn an_inactive_or_unknown_user_is_not_invited() {
    let workspace = Workspace::with(COMPANY);
    let error = workspace.run(&["user", "invite", "0043"]).failed(1);
    assert!(error.contains("not ACTIVE"), "{error}");
    let error = workspace.run(&["user", "invite", "0044"]).failed(1);
    assert!(error.contains("no user"), "{error}");
    let error = Workspace::new().run(&["user", "invite", ANNA]).failed(1);
    assert!(error.contains("no store"), "{error}");
}
