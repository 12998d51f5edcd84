//! `/password`.

use super::{PASSWORD, admin, browser, running};

const NEW: &str = "another long password";

#[test]
fn a_new_password_ends_all_other_sessions() {
    let running = running();
    let (mut one, mut other) = (admin(&running), admin(&running));
    let form = one.open("/password");
    let change = |browser: &mut patrol_tests::SiteClient, current, new, repeated| {
        let fields = [("current", current), ("new", new), ("repeated", repeated)];
        browser.submit(&form, "/password", &fields)
    };
    change(&mut one, PASSWORD, NEW, "x").refused("The two new passwords are not the same.");
    change(&mut one, PASSWORD, "ADA ASH", "ADA ASH").refused("The password has to have 12");
    change(&mut one, "wrong", NEW, NEW).refused("The current password is wrong.");
    let _ = other.open("/tokens");
    let mut copied = one.clone();
    change(&mut one, PASSWORD, NEW, NEW).leads_to("/password?saved=1");
    assert_ne!(one.cookie("patrol_session"), copied.cookie("patrol_session"));
    copied.get("/tokens").leads_to("/sign-in");
    assert!(one.open("/password?saved=1").text.contains("The password is changed."));
    other.get("/tokens").leads_to("/sign-in");
    browser(&running).sign_in("A1", PASSWORD).refused("Sign-in failed");
    let _ = browser(&running).signed_in("A1", NEW);
}

#[test]
fn wrong_current_passwords_count_as_failed_sign_ins() {
    let running = running();
    let mut browser = admin(&running);
    let form = browser.open("/password");
    for _ in 0..5 {
        let fields = [("current", "wrong"), ("new", NEW), ("repeated", NEW)];
        browser.submit(&form, "/password", &fields).refused("The current password is wrong.");
    }
    let fields = [("current", PASSWORD), ("new", NEW), ("repeated", NEW)];
    let answer = browser.submit(&form, "/password", &fields);
    assert_eq!(answer.status, 429, "{}", answer.text);
    assert!(answer.header("retry-after").is_some());
    assert_eq!(super::browser(&running).sign_in("A1", PASSWORD).status, 429);
}

/// The answer to a change of the own password.
fn change(browser: &mut patrol_tests::SiteClient, current: &str, new: &str) -> patrol_tests::Page {
    let form = browser.open("/password");
    let fields = [("current", current), ("new", new), ("repeated", new)];
    browser.submit(&form, "/password", &fields)
}

#[test]
fn common_passwords_and_own_names_are_refused() {
    let running = running();
    let mut browser = admin(&running);
    for (new, why) in [
        ("qwertyqwerty", "This password is one of the most common ones."),
        ("QwertyQwerty", "This password is one of the most common ones."),
        ("a1@EXAMPLE.org", "The password must not be your name, email or employee number."),
    ] {
        change(&mut browser, PASSWORD, new).refused(why);
    }
    let _ = super::browser(&running).signed_in("A1", PASSWORD);
}

#[test]
fn a_password_is_taken_as_it_is_typed() {
    let running = running();
    let mut browser = admin(&running);
    let odd = "  Обход \"7\" & <ночь>\t🙂  ";
    change(&mut browser, PASSWORD, odd).leads_to("/password?saved=1");
    for near in [odd.trim().to_owned(), odd.to_lowercase()] {
        super::browser(&running).sign_in("A1", &near).refused("Sign-in failed");
    }
    let mut browser = super::browser(&running).signed_in("A1", odd);
    let longest = "ж".repeat(256);
    change(&mut browser, odd, &longest).leads_to("/password?saved=1");
    super::browser(&running).sign_in("A1", &longest[2..]).refused("Sign-in failed");
    let mut browser = super::browser(&running).signed_in("A1", &longest);
    change(&mut browser, &longest, &format!("{longest}ж"))
        .refused("The password has to have 12 to 256 characters.");
}

#[test]
fn fields_of_passwords_hide_them_and_let_programs_fill_them() {
    let running = running();
    let (mut stranger, mut admin) = (browser(&running), admin(&running));
    for (page, current, new) in [(stranger.open("/sign-in"), 1, 0), (admin.open("/password"), 1, 2)]
    {
        let count = |text: &str| page.text.matches(text).count();
        assert_eq!(count("type=\"password\""), current + new, "{}", page.text);
        assert_eq!(count("autocomplete=\"current-password\""), current, "{}", page.text);
        assert_eq!(count("autocomplete=\"new-password\""), new, "{}", page.text);
        assert_eq!(count("autocomplete=\"username\""), 1, "{}", page.text);
    }
}
