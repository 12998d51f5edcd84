//! Failed sign-ins are slowed down.

use std::thread;

use patrol_tests::{Running, company::EMPLOYEE};

use super::{PASSWORD, admin, browser, running, store};

#[test]
fn a_name_is_refused_after_five_failures() {
    let running = running();
    for name in ["E1", "e1@example.org", "E1", "E1", "E1@EXAMPLE.ORG"] {
        browser(&running).sign_in(name, "wrong").refused("Sign-in failed");
    }
    let refused = browser(&running).sign_in("E1", PASSWORD);
    assert_eq!(refused.status, 429, "also with the right password");
    let seconds: u64 = refused.header("retry-after").expect("a time").parse().expect("a number");
    assert!((1..=900).contains(&seconds), "{seconds}");
    assert!(refused.text.contains("Too many failed attempts"), "{}", refused.text);
    // Others are not concerned, and an invitation clears it.
    let mut admin = admin(&running);
    let page = admin.open("/people");
    assert_eq!(admin.submit(&page, &format!("/people/{EMPLOYEE}/invite"), &[]).status, 200);
    let _ = browser(&running).signed_in("E1", PASSWORD);
    let log = running.server.log();
    assert!(log.contains(EMPLOYEE) && !log.contains("e1@example.org"), "{log}");
}

#[test]
fn a_sign_in_forgets_the_failures_of_its_name() {
    let running = running();
    for _ in 0..2 {
        for _ in 0..4 {
            browser(&running).sign_in("E1", "wrong").refused("Sign-in failed");
        }
        let _ = browser(&running).signed_in("E1", PASSWORD);
    }
}

#[test]
fn an_address_is_refused_after_fifty_failures() {
    let running = Running::set(store(), &[("PATROL_TRUSTED_PROXIES", "127.0.0.1")]);
    let from = |address: &str| browser(&running).with("X-Forwarded-For", address);
    for number in 0..50 {
        from("203.0.113.7").sign_in(&format!("unknown {number}"), "x").refused("Sign-in failed");
    }
    assert_eq!(from("203.0.113.7").sign_in("A1", PASSWORD).status, 429);
    let _ = from("203.0.113.8").signed_in("A1", PASSWORD);
}

#[test]
fn fifty_sign_ins_at_once_take_little_memory_and_stop_nothing() {
    let running = Running::set(store(), &[("PATROL_TRUSTED_PROXIES", "127.0.0.1")]);
    // Each from an address of its own, because those of one address wait for each other.
    let from =
        |number: usize| browser(&running).with("X-Forwarded-For", &format!("203.0.113.{number}"));
    let from = &from;
    let before = running.server.peak_memory();
    thread::scope(|scope| {
        let all: Vec<_> = (0..50)
            .map(|number| scope.spawn(move || from(number).sign_in("A1", PASSWORD).status))
            .collect();
        while !all.iter().all(thread::ScopedJoinHandle::is_finished) {
            let _ = running.admin.get("/tokens").ok();
        }
        for one in all {
            let status = one.join().expect("an answer");
            assert!([303, 503].contains(&status), "{status}");
        }
    });
    let grown = running.server.peak_growth(before);
    assert!(grown < 192 << 20, "{} MiB more", grown >> 20);
}
