//! `patrol user invite`.

use patrol_tests::{
    Running,
    company::{EMPLOYEE, FORMER, NOBODY},
};
use serde_json::json;

#[test]
fn an_active_user_is_invited_beside_a_running_server() {
    let running = Running::with([]);
    let site = ["--public-url", "https://patrol.example.org"];
    let invite = |user: &str| running.store.run(&[&["user", "invite", user], &site[..]].concat());
    let printed = invite(EMPLOYEE).exited(0).stdout;
    let code = printed.strip_prefix("https://patrol.example.org/invitation/");
    let code = code.and_then(|code| code.strip_suffix('\n')).unwrap_or_else(|| panic!("{printed}"));
    assert!(code.len() == 43 && code.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{printed}");
    assert!(!running.store.holds(code), "only a digest is stored");
    for user in [FORMER, NOBODY] {
        assert_eq!(invite(user).exited(1).stdout, "");
    }
    // An invitation alone lets nobody sign in.
    let user = running.admin.patch(&format!("/users/{EMPLOYEE}"), &json!({})).ok();
    assert_eq!(user["userLinked"], false);
}
