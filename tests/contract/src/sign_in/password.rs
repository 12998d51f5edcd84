//! Passwords.

use patrol_domain::{
    EditError,
    event::{EventQuery, Origin},
    list::Condition,
    sign_in::{AttemptOutcome, PasswordChange},
    user::{User, UserStatus},
};

use super::{
    Adapter, Ports, attempt, by, digest, fail, filled, import,
    invitation::{found, invite},
    last_sign_in, linked, millis, new_session, of_user, open, open_sessions, session, session_id,
    time, user, user_id,
};
use crate::{records::edit, user::remove};

fn change(number: u8, verified: &str) -> PasswordChange {
    PasswordChange {
        user: user_id(1),
        session: session_id(number),
        next: new_session(100 + number, 1, 9),
        verified: verified.to_owned(),
        hash: "hash 2".to_owned(),
        attempt: attempt(9),
    }
}

/// A password that is set replaces the one before, and all sessions and invitations of the user end.
pub async fn a_password_that_is_set_ends_all_sessions<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (one, two) = (user_id(1), user_id(2));
    assert_eq!(ports.passwords.hash(one).await, Ok(Some("hash 1".to_owned())));
    assert_eq!(ports.passwords.hash(two).await, Ok(None));
    assert_eq!(ports.passwords.hash(user_id(9)).await, Ok(None));
    assert!(!linked(&ports, 2).await);
    ports.passwords.set(two, "hash 3".to_owned(), by()).await.unwrap();
    assert_eq!(ports.passwords.hash(two).await, Ok(Some("hash 3".to_owned())));
    assert!(linked(&ports, 2).await);

    open(&ports, 1, 1).await;
    invite(&ports, 11, 1, 1).await;
    invite(&ports, 12, 2, 1).await;
    let other = new_session(2, 2, 1);
    let opened = ports.sessions.open(other.clone(), "hash 3".to_owned(), attempt(1)).await;
    assert_eq!(opened, Ok(AttemptOutcome::Done));
    ports.passwords.set(one, "hash 4".to_owned(), Origin::of_program(time(5))).await.unwrap();
    assert_eq!(found(&ports, 11).await.unwrap().ended_at, Some(time(5)));
    assert_eq!(found(&ports, 12).await.unwrap().ended_at, None);
    assert_eq!(ports.passwords.hash(one).await, Ok(Some("hash 4".to_owned())));
    assert_eq!(open_sessions(&ports, 1).await, []);
    assert_eq!(open_sessions(&ports, 2).await, [other.session]);
    let missing = ports.passwords.set(user_id(9), "hash".to_owned(), by()).await;
    assert_eq!(missing, Err(EditError::Missing));
}

/// Without a password a user is not linked, and has neither sessions nor open invitations. A user
/// without one stays as it is.
pub async fn a_removed_password_takes_sessions_and_invitations_along<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    open(&ports, 1, 1).await;
    for (number, of) in [(11, 1), (12, 2)] {
        invite(&ports, number, of, 1).await;
    }
    for of in [1, 2] {
        ports.passwords.remove(user_id(of), Origin::of_program(time(5))).await.unwrap();
        assert_eq!(ports.passwords.hash(user_id(of)).await, Ok(None));
        assert_eq!((linked(&ports, of).await, last_sign_in(&ports, of).await), (false, None));
    }
    assert_eq!(open_sessions(&ports, 1).await, []);
    for number in [11, 12] {
        assert_eq!(found(&ports, number).await.unwrap().ended_at, Some(time(5)));
    }
    assert_eq!(ports.passwords.remove(user_id(9), by()).await, Err(EditError::Missing));
}

/// The removal of a user takes password and sessions along: a later user with the id has neither.
pub async fn a_removed_user_leaves_no_password_and_no_session<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    open(&ports, 1, 1).await;
    assert_eq!(remove(&ports, 1).await, Ok(()));
    assert_eq!(ports.sessions.find(digest(1)).await, Ok(None));
    import(&ports, vec![of_user(user(1))]).await.expect("an import");
    assert_eq!(ports.passwords.hash(user_id(1)).await, Ok(None));
    assert_eq!(open_sessions(&ports, 1).await, []);
}

/// When a user changes its password, all sessions and the invitations end, the next session begins as a
/// sign-in, and the failures of the name are forgotten.
pub async fn a_changed_password_leaves_the_next_session_only<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    open(&ports, 1, 1).await;
    open(&ports, 2, 2).await;
    invite(&ports, 11, 1, 2).await;
    fail(&ports, attempt(3), 4).await;
    let by = Origin::of_program(time(5));
    let changed = ports.passwords.change(change(1, "hash 1"), by).await;
    assert_eq!(found(&ports, 11).await.unwrap().ended_at, Some(time(5)));
    assert_eq!(changed, Ok(AttemptOutcome::Done));
    assert_eq!(ports.passwords.hash(user_id(1)).await, Ok(Some("hash 2".to_owned())));
    assert_eq!(open_sessions(&ports, 1).await, [session(101, 1, 9)]);
    assert_eq!(ports.sessions.find(digest(101)).await, Ok(Some(session(101, 1, 9))));
    assert_eq!(last_sign_in(&ports, 1).await, Some(time(9)));
    fail(&ports, attempt(10), 5).await;
}

/// `Outdated`, and nothing changes, when the session does not exist or is of another user, when the
/// user has another password than the verified one or none, and when the user does not exist.
pub async fn a_password_is_changed_only_in_a_session_and_with_the_verified_one<A: Adapter>(
    adapter: &A,
) {
    let ports = filled(adapter).await;
    let open = open(&ports, 1, 1).await;
    for outdated in [
        change(2, "hash 1"),
        change(1, "hash 2"),
        PasswordChange { user: user_id(2), ..change(1, "hash 1") },
        PasswordChange { user: user_id(9), ..change(1, "hash 1") },
    ] {
        let changed = ports.passwords.change(outdated.clone(), by()).await;
        assert_eq!(changed, Ok(AttemptOutcome::Outdated), "{outdated:?}");
    }
    assert_eq!(ports.passwords.hash(user_id(1)).await, Ok(Some("hash 1".to_owned())));
    assert_eq!(ports.passwords.hash(user_id(2)).await, Ok(None));
    assert_eq!(open_sessions(&ports, 1).await, [open]);
}

/// `Throttled`, and nothing changes, while the failures of the name refuse the attempt.
pub async fn a_password_is_not_changed_after_too_many_failures<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    open(&ports, 1, 1).await;
    fail(&ports, attempt(2), 5).await;
    let changed = ports.passwords.change(change(1, "hash 1"), by()).await;
    let wait = millis(15 * 60_000 - 7).unwrap();
    assert_eq!(changed, Ok(AttemptOutcome::Throttled(wait)));
    assert_eq!(ports.passwords.hash(user_id(1)).await, Ok(Some("hash 1".to_owned())));
}

/// The changes of the events after `position`, and the new position.
async fn events(ports: &Ports, position: &mut i64) -> Vec<(String, String)> {
    let query = EventQuery { after: *position, limit: 10, condition: Condition::All(Vec::new()) };
    let page = ports.events.page(query).await.expect("a page");
    *position = page.next;
    page.events.into_iter().map(|event| (event.kind, event.changes)).collect()
}

/// A password that is set, changed or removed is an event of the user, without a hash.
pub async fn a_new_and_a_removed_password_are_events<A: Adapter>(adapter: &A) {
    const PASSWORD: &str = r#"{"member":"password","before":"***","after":"***"}"#;
    let linked = |before: bool| {
        format!(r#"{{"member":"userLinked","before":{before},"after":{}}}"#, !before)
    };
    let event = |changes: String| vec![("user.updated".to_owned(), changes)];
    let ports = filled(adapter).await;
    let mut position = ports.events.newest().await.unwrap();
    ports.passwords.set(user_id(2), "hash 3".to_owned(), by()).await.unwrap();
    let set = format!("[{PASSWORD},{}]", linked(false));
    assert_eq!(events(&ports, &mut position).await, event(set));
    open(&ports, 1, 1).await;
    assert_eq!(events(&ports, &mut position).await, []);
    ports.passwords.change(change(1, "hash 1"), by()).await.unwrap();
    assert_eq!(events(&ports, &mut position).await, event(format!("[{PASSWORD}]")));
    ports.passwords.remove(user_id(1), by()).await.unwrap();
    let removed = format!("[{PASSWORD},{}]", linked(true));
    assert_eq!(events(&ports, &mut position).await, event(removed));
    ports.passwords.remove(user_id(1), by()).await.unwrap();
    assert_eq!(events(&ports, &mut position).await, []);
}

/// The last sign-ins come in the order of the users that were asked for; also of one who is no longer
/// ACTIVE.
pub async fn the_last_sign_ins_come_in_order<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let asked = vec![user_id(9), user_id(1), user_id(2)];
    let none = vec![None; 3];
    assert_eq!(ports.passwords.last_sign_ins(asked.clone()).await, Ok(none));
    open(&ports, 1, 5).await;
    open(&ports, 2, 7).await;
    let inactive = |old: &User| Ok(Some(User { status: UserStatus::Inactive, ..old.clone() }));
    ports.users.update(edit(user_id(1), inactive), by()).await.unwrap();
    let found = ports.passwords.last_sign_ins(asked).await;
    assert_eq!(found, Ok(vec![None, Some(time(7)), None]));
    assert_eq!(ports.passwords.last_sign_ins(Vec::new()).await, Ok(Vec::new()));
}
