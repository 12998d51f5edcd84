//! Invitations, by the command and by the site.

use patrol_tests::company::{FORMER, GUARD, user};

use super::{PASSWORD, admin, browser, running};

const NEW: &str = "another long password";

fn path(link: &str, address: &str) -> String {
    let path = link.trim().strip_prefix(&format!("http://{address}")).expect("the public address");
    path.to_owned()
}

#[test]
fn an_invited_user_sets_a_password_once() {
    let running = running();
    let address = running.server.address().to_owned();
    let _ = running
        .store
        .import(&patrol_tests::DataSet::new([user(GUARD, "EMPLOYEE", "E2")]))
        .exited(0);
    assert_eq!(running.user(GUARD)["userLinked"], false);
    let mut admin = admin(&running);
    let people = admin.open("/people");
    let shown = admin.submit(&people, &format!("/people/{GUARD}/invite"), &[]);
    assert_eq!(shown.status, 200, "{}", shown.text);
    let link = shown.value_of("invitation");
    let path = path(&link, &address);
    let mut guard = browser(&running);
    let form = guard.open(&path);
    for (new, repeated, why) in [
        (NEW, "something else", "The two new passwords are not the same."),
        ("short", "short", "The password has to have 12 to 256 characters."),
        ("E2@EXAMPLE.org", "E2@EXAMPLE.org", "The password must not be your name"),
    ] {
        let refused = guard.submit(&form, &path, &[("new", new), ("repeated", repeated)]);
        refused.refused(why);
        assert!(!refused.text.contains(&format!("\"{new}\"")), "password fields are empty");
    }
    guard.submit(&form, &path, &[("new", NEW), ("repeated", NEW)]).leads_to("/guard");
    assert!(guard.open("/tokens").text.contains("Ada Ash</span>"));
    assert_eq!(running.user(GUARD)["userLinked"], true);
    let again = browser(&running).get(&path);
    assert_eq!(again.status, 410);
    assert!(again.text.contains("no longer valid"), "{}", again.text);
    assert_eq!(browser(&running).get("/invitation/unknown").status, 404);
    let _ = browser(&running).signed_in("E2", NEW);
    let log = running.server.log();
    let code = path.rsplit('/').next().expect("a code");
    assert!(!log.contains(code) && !log.contains(NEW), "{log}");
}

#[test]
fn the_next_invitation_makes_the_first_void() {
    let running = running();
    let invite = || {
        let url = format!("http://{}", running.server.address());
        let outcome = running.store.run(&["user", "invite", "E1", "--public-url", &url]).exited(0);
        path(&outcome.stdout, running.server.address())
    };
    let first = invite();
    let mut browser = browser(&running);
    let form = browser.open(&first);
    let second = invite();
    assert_eq!(browser.get(&first).status, 410);
    let fields = [("new", NEW), ("repeated", NEW)];
    assert_eq!(browser.submit(&form, &first, &fields).status, 410);
    // Until the link is used, the old password is valid.
    let mut old = super::browser(&running).signed_in("E1", PASSWORD);
    browser.submit(&form, &second, &fields).leads_to("/guard");
    old.get("/tokens").leads_to("/sign-in");
    super::browser(&running).sign_in("E1", PASSWORD).refused("Sign-in failed");
}

#[test]
fn an_inactive_user_is_not_invited() {
    let running = running();
    let outcome = running.store.run(&["user", "invite", FORMER]);
    assert_eq!(outcome.exited(1).stdout, "");
    let mut admin = admin(&running);
    let page = admin.open("/people");
    let answer = admin.submit(&page, &format!("/people/{FORMER}/invite"), &[]);
    answer.refused("Finn Ash is not active");
}
