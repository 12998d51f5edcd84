//! Passwords, sessions, invitations, and the limit of failed sign-ins.

use std::{collections::BTreeSet, net::IpAddr, time::Duration};

use patrol_domain::{
    Refusal, Timestamp,
    access::{Digest, Role},
    ids::{SessionId, UserId},
    sign_in::{
        Account, Attempt, FailureTimes, Failures, Invitation, Password, PasswordFault, Session,
        SessionLimits, address_key, name_key,
    },
    user::{User, UserStatus},
};

use crate::sample::id;

const MINUTE: i64 = 60_000;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn user() -> User {
    User {
        middle_name: Some("Maria".into()),
        email: Some("Anna.Berg@example.org".into()),
        employee_no: Some("Nr-0000-4711".into()),
        ..User::new(UserId(id(1)), "Anastasia-Ö", "Kronbergsson", "en", Role::Employee)
    }
}

fn check(text: &str) -> Result<(), PasswordFault> {
    Password::parse(text, &user()).map(drop)
}

#[test]
fn a_password_has_12_to_256_characters_of_any_kind() {
    for good in [
        "correct horse",
        "            ",
        "0\0\n\t\u{7f}aaaaaaaa",
        &"щ".repeat(12),
        &"\u{1f980}".repeat(256),
    ] {
        assert_eq!(check(good), Ok(()), "{good:?}");
    }
    for bad in ["", "elevenchars", &"щ".repeat(11), &"a".repeat(257), &"\u{1f980}".repeat(257)] {
        assert_eq!(check(bad), Err(PasswordFault::Length), "{bad:?}");
    }
    let password = Password::parse("correct horse", &user()).unwrap();
    assert_eq!(password.as_str(), "correct horse");
    assert!(!format!("{password:?}").contains("horse"));
}

#[test]
fn a_common_password_and_what_others_know_of_the_user_are_refused() {
    for common in ["qwertyqwerty", "SonyEricsson", "1qazxsw23edc"] {
        assert_eq!(check(common), Err(PasswordFault::Common), "{common}");
    }
    for own in [
        "anastasia-ö maria kronbergsson",
        "Anastasia-Ö Kronbergsson",
        "KRONBERGSSON",
        "anna.berg@example.ORG",
        "nr-0000-4711",
    ] {
        assert_eq!(check(own), Err(PasswordFault::Personal), "{own}");
    }
    let first = User { first_name: "Bartholomäus".into(), ..user() };
    let refused = Password::parse("bartholomÄus", &first).map(drop);
    assert_eq!(refused, Err(PasswordFault::Personal));
    // Only the whole text is compared.
    assert_eq!(check("Kronbergsson!"), Ok(()));
    assert_eq!(check("qwertyqwerty1"), Ok(()));
}

fn session(created_at: i64, last_seen_at: i64) -> Session {
    Session {
        id: SessionId(id(9)),
        user: UserId(id(1)),
        created_at: at(created_at),
        last_seen_at: at(last_seen_at),
        address: String::new(),
        browser: String::new(),
    }
}

#[test]
fn a_session_ends_when_it_is_idle_or_old() {
    let millis = Duration::from_millis;
    let limits = SessionLimits { idle: millis(1_000), max: millis(5_000) };
    for (now, seen, allowed) in [
        (0, 0, true),
        (999, 0, true),
        (1_000, 0, false),
        (4_999, 4_500, true),
        (5_000, 4_999, false),
    ] {
        assert_eq!(limits.allow(&session(0, seen), at(now)), allowed, "{now} {seen}");
        assert_eq!(at(now) < limits.end(&session(0, seen)), allowed, "{now} {seen}");
        // What has expired is what a job deletes.
        let is_deleted = limits.last_begin(at(now)) >= Some(at(0))
            || limits.last_idle(at(now)) >= Some(at(seen));
        assert_eq!(is_deleted, !allowed, "{now} {seen}");
    }
    let endless = SessionLimits { idle: Duration::MAX, max: Duration::MAX };
    assert_eq!(endless.end(&session(0, 0)), Timestamp::LAST);
    assert_eq!(SessionLimits::default().idle, Duration::from_secs(12 * 3600));
    assert_eq!(SessionLimits::default().max, Duration::from_secs(7 * 24 * 3600));
}

#[test]
fn a_session_is_noted_as_seen_once_in_a_tenth_of_the_idle_time() {
    let limits = SessionLimits { idle: Duration::from_secs(100), max: Duration::MAX };
    for (now, due) in [(0, false), (9_999, false), (10_000, true), (50_000, true)] {
        assert_eq!(limits.is_touch_due(&session(0, 0), at(now)), due, "{now}");
    }
}

#[test]
fn a_new_role_or_status_ends_sessions_and_nothing_else_does() {
    let before = user();
    for (after, ends) in [
        (before.clone(), false),
        (User { role: Role::Admin, ..before.clone() }, true),
        (User { status: UserStatus::Inactive, ..before.clone() }, true),
        (User { email: None, phone: Some("1".into()), linked: true, ..before.clone() }, false),
    ] {
        assert_eq!(before.ends_sessions(&after), ends);
    }
}

#[test]
fn only_the_verified_password_of_an_active_user_is_accepted() {
    let none = Account { user: user(), hash: None };
    let one = none.with_hash(Some("hash".into()));
    assert!(one.user.linked && !one.with_hash(None).user.linked);
    assert!(one.accepts("hash") && !one.accepts("other") && !none.accepts("hash"));
    let inactive = User { status: UserStatus::Inactive, ..user() };
    assert!(!Account { user: inactive, ..one.clone() }.accepts("hash"));
    assert!(!format!("{one:?}").contains("hash"));
}

#[test]
fn an_invitation_is_open_for_24_hours_to_an_active_user_until_it_ends() {
    const DAY: i64 = 24 * 60 * MINUTE;
    let new = Invitation::new(user().id, at(5));
    let inactive = User { status: UserStatus::Inactive, ..user() };
    assert!(new.is_open(&user(), at(5)) && new.is_open(&user(), at(DAY + 4)));
    assert!(!new.is_open(&user(), at(DAY + 5)));
    assert!(!new.is_open(&inactive, at(5)));
    assert!(!Invitation { ended_at: Some(at(6)), ..new }.is_open(&user(), at(7)));
    assert_eq!(Invitation::check_user(&user()), Ok(()));
    let refused = Err(Refusal::State("status".to_owned()));
    assert_eq!(Invitation::check_user(&inactive), refused);
}

fn attempt(millis: i64) -> Attempt {
    Attempt { name: Digest([1; 32]), address: Digest([2; 32]), at: at(millis) }
}

fn times(millis: impl IntoIterator<Item = i64>) -> FailureTimes {
    FailureTimes(millis.into_iter().map(at).collect())
}

#[test]
fn after_5_failures_of_a_name_or_50_from_an_address_an_attempt_waits() {
    let wait = |name: FailureTimes, address: FailureTimes, now| {
        let waits = attempt(now).retry_after(&Failures { name, address });
        waits.map(|wait| i64::try_from(wait.as_millis()).unwrap())
    };
    let none = FailureTimes::default;
    assert_eq!(wait(none(), none(), 0), None);
    assert_eq!(wait(times(0..4), times(0..49), 60), None);
    assert_eq!(wait(times(0..5), none(), 60), Some(15 * MINUTE - 60));
    assert_eq!(wait(none(), times(0..50), 60), Some(15 * MINUTE - 60));
    assert_eq!(wait(times([9, 8, 7, 6, 5]), times(0..50), 60), Some(15 * MINUTE - 55));
    // A failure counts for 15 minutes.
    assert_eq!(wait(times(0..5), none(), 15 * MINUTE - 1), Some(1));
    assert_eq!(wait(times(0..5), none(), 15 * MINUTE), None);
    // Of more failures than the limit, the last ones count.
    assert_eq!(wait(times(0..7), none(), 60), Some(15 * MINUTE - 58));
    // The clock of another node is ahead.
    assert_eq!(wait(times([50; 5]), none(), 10), Some(15 * MINUTE));
}

#[test]
fn no_more_failures_are_kept_than_count() {
    let mut failures = Failures::default();
    for now in 0..100 {
        failures = attempt(now).failed(&failures);
    }
    assert_eq!(failures, Failures { name: times(95..100), address: times(50..100) });
    assert_eq!(failures.name.expires_at(), Some(at(15 * MINUTE + 99)));
    let later = attempt(15 * MINUTE + 97).failed(&failures);
    assert_eq!(later.name, times([98, 99, 15 * MINUTE + 97]));
    assert_eq!(FailureTimes::default().expires_at(), None);
}

#[test]
fn a_name_is_a_user_or_a_text_and_an_address_a_network() {
    let known = name_key(Some(UserId(id(1))), "A");
    assert_eq!(known, name_key(Some(UserId(id(1))), "b"));
    assert_ne!(known, name_key(Some(UserId(id(2))), "A"));
    assert_eq!(name_key(None, "ANNA@Example.org"), name_key(None, "anna@example.ORG"));
    assert_ne!(name_key(None, "a"), name_key(None, "b"));
    // A text in the form of a key of another kind is not that key.
    assert_ne!(name_key(None, &format!("user {}", id(1))), known);
    let key = |address: &str| address_key(address.parse::<IpAddr>().unwrap());
    assert_eq!(key("2001:db8:1:2:3:4:5:6"), key("2001:db8:1:2::9"));
    assert_eq!(key("::ffff:192.0.2.7"), key("192.0.2.7"));
    let others = ["2001:db8:1:2::", "2001:db8:1:3::", "192.0.2.7", "192.0.2.8", "::1"];
    assert_eq!(others.map(key).into_iter().collect::<BTreeSet<_>>().len(), others.len());
}
