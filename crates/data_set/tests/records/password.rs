//! Passwords of users: hashed, and never shown.

use std::{
    io::Cursor,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use patrol_data_set::Lines;
use patrol_domain::{access::PasswordHasher, data_set::Record};

use crate::sample::{record, refusal, rules, with_ids, written};

fn user(further: &str) -> String {
    with_ids(&format!(
        r##"{{"kind":"user","id":"#5","firstName":"Anna","lastName":"Berg","employeePin":"4711","language":"en","role":"ADMIN","status":"ACTIVE",{further}}}"##
    ))
}

#[test]
fn a_password_becomes_a_hash_and_is_not_shown() {
    let with = record(&user(r#""password":"correct hunter2""#));
    let Record::User(new) = &with else { panic!("{with:?}") };
    assert_eq!(new.password_hash.as_deref(), Some("hash of 15 bytes"));
    assert!(new.user.linked);
    let debug = format!("{with:?} {with:#?}");
    for secret in ["hunter2", "hash of", "4711"] {
        assert!(!debug.contains(secret), "{debug}");
    }
    let text = written(&with);
    assert!(!text.contains("hunter2") && !text.contains("hash"), "{text}");
    assert!(!text.contains("assword") && !text.contains("inked"), "{text}");
}

#[test]
fn a_null_password_is_no_password() {
    let without = record(&user(r#""password":null"#));
    let Record::User(new) = &without else { panic!("{without:?}") };
    assert_eq!((&new.password_hash, new.user.linked), (&None, false));
}

#[test]
fn a_faulty_password_is_reported_but_not_shown() {
    let of_length = "password: must have a length of 12 to 256";
    assert_eq!(refusal(&user(r#""password":"""#)), format!("line 1: {of_length}"));
    assert_eq!(refusal(&user(r#""password":"hunter2 hun""#)), format!("line 1: {of_length}"));
    assert_eq!(refusal(&user(r#""password":4711"#)), "line 1: password: must be a string");
    let long = "hunter2".repeat(40);
    assert_eq!(
        refusal(&user(&format!(r#""password":"{long}","phone":"{long}""#))),
        format!("line 1: phone: must have a length of 0 to 255; {of_length}")
    );
    let text = refusal(&user(r#""password":"correct hunter2""#).replace("ADMIN", "CHIEF"));
    assert_eq!(text, "line 1: role: must be one of EMPLOYEE, MANAGER, ADMIN");
    let text = refusal(&user(r#""password":"hunter2","#));
    assert!(text.starts_with("line 1: not a JSON object: ") && !text.contains("hunter2"), "{text}");
}

#[test]
fn a_password_that_is_easy_to_guess_is_refused() {
    for (password, email, rule) in [
        ("1qaz2wsx3edc", "a@example.org", "must not be one of the most common passwords"),
        (
            "Anna@Example.org",
            "anna@example.org",
            "must not be a name, the email or the employeeNo of the user",
        ),
    ] {
        let text = refusal(&user(&format!(r#""email":"{email}","password":"{password}""#)));
        assert_eq!(text, format!("line 1: password: {rule}"));
    }
}

struct Refusing(AtomicU32);

impl PasswordHasher for Refusing {
    fn hash(&self, _: &str) -> Result<String, String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err("no memory".to_owned())
    }

    fn verify(&self, _: &str, _: &str) -> Result<bool, String> {
        Err("an import verifies no password".to_owned())
    }
}

#[test]
fn only_the_password_of_a_valid_line_is_hashed_and_a_failure_is_reported() {
    let passwords = Arc::new(Refusing(AtomicU32::new(0)));
    let refusal = |line: String| {
        let source = Cursor::new(line.into_bytes());
        Lines::new(source, rules(), 64, passwords.clone()).next().unwrap().unwrap_err()
    };
    let faulty = user(r#""email":"x","password":"correct hunter2""#);
    assert_eq!(refusal(faulty), "line 1: email: must be an email address");
    assert_eq!(passwords.0.load(Ordering::Relaxed), 0);
    let good = user(r#""password":"correct hunter2""#);
    assert_eq!(refusal(good), "line 1: password: cannot be hashed: no memory");
    assert_eq!(passwords.0.load(Ordering::Relaxed), 1);
}
