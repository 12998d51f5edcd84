//! `/sessions`.

use patrol_tests::{Server, SiteClient};

use super::{PASSWORD, admin, browser, running, store};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

#[test]
fn own_sessions_are_listed_and_ended() {
    let running = running();
    let mut phone = browser(&running).with("User-Agent", "curl/8.5.0").signed_in("A1", PASSWORD);
    let mut laptop = browser(&running).with("User-Agent", FIREFOX).signed_in("A1", PASSWORD);
    let mut other = browser(&running).signed_in("E1", PASSWORD);
    let page = laptop.open("/sessions");
    for text in
        ["Sign out Firefox (Linux), 127.0.0.1", "Sign out curl/8.5.0, 127.0.0.1", "this browser"]
    {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    assert_eq!(page.text.matches("127.0.0.1</td>").count(), 2, "only own ones: {}", page.text);
    let (before, _) = page.text.split_once("Sign out curl").expect("the button");
    let (_, id) = before.rsplit_once("action=\"/sessions/").expect("its form");
    let path = format!("/sessions/{}/end", id.split('/').next().expect("an id"));
    // A session of somebody else is not ended, and nothing says whether it exists.
    let foreign = other.open("/sessions");
    other.submit(&foreign, &path, &[]).leads_to("/sessions");
    let _ = phone.open("/sessions");
    laptop.submit(&page, &path, &[]).leads_to("/sessions");
    phone.get("/sessions").leads_to("/sign-in");
    let _ = laptop.open("/sessions");
}

#[test]
fn all_other_sessions_are_ended() {
    let running = running();
    let (mut one, mut two, mut three) = (admin(&running), admin(&running), admin(&running));
    let page = one.open("/sessions");
    one.submit(&page, "/sessions/end-others", &[]).leads_to("/sessions?ended=1");
    two.get("/tokens").leads_to("/sign-in");
    three.get("/tokens").leads_to("/sign-in");
    assert!(one.open("/sessions?ended=1").text.contains("All other sessions are ended."));
}

#[test]
fn a_session_expires() {
    let running = patrol_tests::Running::set(
        store(),
        &[("PATROL_SESSION_IDLE", "2s"), ("PATROL_SESSION_MAX", "2s")],
    );
    let mut browser = admin(&running);
    let _ = browser.open("/tokens");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while browser.get("/tokens").status == 200 {
        assert!(std::time::Instant::now() < until, "the session does not expire");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    browser.get("/tokens").leads_to("/sign-in");
}

#[test]
fn a_restart_signs_nobody_out() {
    let store = store();
    let mut server = Server::start(&store);
    let browser = SiteClient::new(server.address()).signed_in("A1", PASSWORD);
    server.terminate();
    assert!(server.wait().success());
    let next = Server::start(&store);
    let _ = browser.at(next.address()).open("/tokens");
}

#[test]
fn a_session_without_requests_expires() {
    let running = patrol_tests::Running::set(
        store(),
        &[("PATROL_SESSION_IDLE", "2s"), ("PATROL_SESSION_MAX", "1h")],
    );
    let mut browser = admin(&running);
    // A longer time than this on a busy machine changes nothing.
    std::thread::sleep(std::time::Duration::from_secs(3));
    browser.get("/tokens").leads_to("/sign-in");
}

#[test]
fn every_page_of_a_session_has_the_button_that_ends_it() {
    let running = running();
    let mut browser = admin(&running);
    for path in ["/tokens", "/tokens?user=all", "/people", "/password", "/sessions"] {
        let page = browser.open(path);
        assert!(page.text.contains("action=\"/sign-out\""), "{path}: {}", page.text);
        assert!(page.text.contains(">Sign out</button>"), "{path}: {}", page.text);
    }
}
