//! Sessions.

use patrol_domain::{
    access::Role,
    sign_in::{Attempt, AttemptOutcome, NewSession, Session},
    user::{BatchEdit, User, UserStatus},
};

use super::{
    Adapter, MINUTE, attempt, by, digest, fail, filled, last_sign_in, millis, new_session, open,
    open_sessions, session_id, time, user_id,
};
use crate::records::edit;

/// A session is found by its digest, and in the list of its user, newest first.
pub async fn a_session_is_found_by_its_digest<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (one, two) = (open(&ports, 1, 5).await, open(&ports, 2, 7).await);
    assert_eq!(ports.sessions.find(digest(1)).await, Ok(Some(one.clone())));
    assert_eq!(ports.sessions.find(digest(3)).await, Ok(None));
    assert_eq!(open_sessions(&ports, 1).await, [two, one]);
    assert_eq!(open_sessions(&ports, 2).await, []);
    assert_eq!(open_sessions(&ports, 9).await, []);
    assert_eq!(last_sign_in(&ports, 1).await, Some(time(7)));
}

/// `Outdated`, and nothing is stored, when the user has another password than the verified one or
/// none, is not ACTIVE, or does not exist.
pub async fn a_session_opens_only_with_the_verified_password<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let open = async |of, verified: &str| {
        let opened = ports.sessions.open(new_session(1, of, 1), verified.to_owned(), attempt(1));
        assert_eq!(opened.await, Ok(AttemptOutcome::Outdated), "{of} {verified}");
        assert_eq!(ports.sessions.find(digest(1)).await, Ok(None));
    };
    open(1, "hash 2").await;
    open(2, "hash 1").await;
    open(9, "hash 1").await;
    let inactive = |old: &User| Ok(Some(User { status: UserStatus::Inactive, ..old.clone() }));
    ports.users.update(edit(user_id(1), inactive), by()).await.unwrap();
    open(1, "hash 1").await;
    assert_eq!(last_sign_in(&ports, 1).await, None);
}

/// `Throttled`, and nothing is stored, while the failures of the name or from the address refuse the
/// attempt. A session that opens forgets the failures of the name, but not those from the address.
pub async fn a_session_opens_only_after_few_failures<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    fail(&ports, attempt(0), 4).await;
    open(&ports, 1, 5).await;
    fail(&ports, attempt(6), 5).await;
    let late = ports.sessions.open(new_session(2, 1, 11), "hash 1".to_owned(), attempt(11)).await;
    let wait = millis(15 * 60_000 - 5).unwrap();
    assert_eq!(late, Ok(AttemptOutcome::Throttled(wait)));
    assert_eq!(ports.sessions.find(digest(2)).await, Ok(None));
    assert_eq!(last_sign_in(&ports, 1).await, Some(time(5)));
    // 9 failures from the address so far, with other names 41 more.
    for name in 0..41 {
        fail(&ports, Attempt { name: digest(110 + name), ..attempt(12) }, 1).await;
    }
    let elsewhere = Attempt { name: digest(250), ..attempt(13) };
    let late = ports.sessions.open(new_session(2, 1, 13), "hash 1".to_owned(), elsewhere).await;
    let wait = millis(15 * 60_000 - 13).unwrap();
    assert_eq!(late, Ok(AttemptOutcome::Throttled(wait)));
    assert_eq!(ports.sessions.find(digest(2)).await, Ok(None));
    let at = 6 + 15 * MINUTE;
    let opened = ports.sessions.open(new_session(2, 1, at), "hash 1".to_owned(), attempt(at)).await;
    assert_eq!(opened, Ok(AttemptOutcome::Done), "the first failures no longer count");
}

/// The oldest sessions of a user end when it has more than `max_sessions`; those of others stay.
pub async fn the_oldest_sessions_make_room<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    ports.passwords.set(user_id(2), "hash 1".to_owned(), by()).await.unwrap();
    let mut kept = Vec::new();
    for (number, of) in [(1, 2), (2, 1), (3, 1), (4, 1), (5, 1)] {
        let new = NewSession { max_sessions: 2, ..new_session(number, of, number.into()) };
        kept.push(new.session.clone());
        let opened = ports.sessions.open(new, "hash 1".to_owned(), attempt(1)).await;
        assert_eq!(opened, Ok(AttemptOutcome::Done));
    }
    assert_eq!(open_sessions(&ports, 2).await, [kept[0].clone()]);
    assert_eq!(open_sessions(&ports, 1).await, [kept[4].clone(), kept[3].clone()]);
}

/// The time at which a session was last seen only grows; an unknown session is ignored.
pub async fn a_session_is_last_seen_at_the_latest_time<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let one = open(&ports, 1, 5).await;
    for (number, at) in [(1, 90), (1, 80), (7, 99)] {
        assert_eq!(ports.sessions.touch(session_id(number), time(at)).await, Ok(()));
    }
    let seen = Session { last_seen_at: time(90), ..one };
    assert_eq!(ports.sessions.find(digest(1)).await, Ok(Some(seen)));
}

/// A user ends its own sessions only.
pub async fn a_session_ends_for_its_user_alone<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (one, _) = (open(&ports, 1, 5).await, open(&ports, 2, 6).await);
    assert_eq!(ports.sessions.end(user_id(2), session_id(1)).await, Ok(false));
    assert_eq!(ports.sessions.end(user_id(1), session_id(2)).await, Ok(true));
    assert_eq!(ports.sessions.end(user_id(1), session_id(2)).await, Ok(false));
    assert_eq!(open_sessions(&ports, 1).await, [one]);
    assert_eq!(ports.sessions.find(digest(2)).await, Ok(None));
}

/// All sessions of a user end, or all but one.
pub async fn all_sessions_but_one_end<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    ports.passwords.set(user_id(2), "hash 1".to_owned(), by()).await.unwrap();
    let other = new_session(9, 2, 1);
    ports.sessions.open(other.clone(), "hash 1".to_owned(), attempt(1)).await.unwrap();
    for number in 1..=3 {
        open(&ports, number, 5).await;
    }
    assert_eq!(ports.sessions.end_all(user_id(1), Some(session_id(2))).await, Ok(2));
    let kept = open_sessions(&ports, 1).await;
    assert_eq!(kept.iter().map(|session| session.id).collect::<Vec<_>>(), [session_id(2)]);
    assert_eq!(ports.sessions.end_all(user_id(1), None).await, Ok(1));
    assert_eq!(ports.sessions.end_all(user_id(1), None).await, Ok(0));
    assert_eq!(open_sessions(&ports, 2).await, [other.session]);
}

/// A change of the role or the status of a user, alone or in a batch, ends its sessions and no others.
/// Any other change leaves them.
pub async fn a_change_of_role_or_status_ends_the_sessions<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let (one, two) = (user_id(1), user_id(2));
    ports.passwords.set(two, "hash 1".to_owned(), by()).await.unwrap();
    let other = new_session(9, 2, 1);
    ports.sessions.open(other.clone(), "hash 1".to_owned(), attempt(1)).await.unwrap();
    type Next = fn(&User) -> User;
    let phone: Next = |old| User { phone: Some(format!("{:?}1", old.phone)), ..old.clone() };
    let role: Next = |old| {
        let role = if old.role == Role::Admin { Role::Employee } else { Role::Admin };
        User { role, ..old.clone() }
    };
    let inactive: Next = |old| User { status: UserStatus::Inactive, ..old.clone() };
    let active: Next = |old| User { status: UserStatus::Active, ..old.clone() };
    let mut number = 0;
    for (next, ends) in [(phone, false), (role, true), (inactive, true)] {
        for in_batch in [false, true] {
            number += 1;
            open(&ports, number, 5).await;
            if in_batch {
                let change = Box::new(move |users: &[User], _: &_| {
                    Ok(vec![Some(next(&users[0])), Some(phone(&users[1]))])
                });
                let ids = vec![one, two];
                let edit = BatchEdit { ids, references: Default::default(), change };
                ports.users.update_batch(edit, by()).await.unwrap().unwrap();
            } else {
                let change = edit(one, move |old: &User| Ok(Some(next(old))));
                ports.users.update(change, by()).await.unwrap();
            }
            assert_eq!(open_sessions(&ports, 1).await.is_empty(), ends, "{number}");
            let change = edit(one, move |old: &User| Ok(Some(active(old))));
            ports.users.update(change, by()).await.unwrap();
        }
    }
    assert_eq!(open_sessions(&ports, 2).await, [other.session]);
}

/// Sessions that began long ago, or were not seen for long, are deleted.
pub async fn expired_sessions_are_deleted<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for (number, began, seen) in [(1, 10, 60), (2, 11, 50), (3, 11, 51), (4, 30, 40)] {
        open(&ports, number, began).await;
        ports.sessions.touch(session_id(number), time(seen)).await.unwrap();
    }
    assert_eq!(ports.sessions.delete_expired(time(10), time(50)).await, Ok(3));
    assert_eq!(ports.sessions.delete_expired(time(10), time(50)).await, Ok(0));
    let kept = open_sessions(&ports, 1).await;
    assert_eq!(kept.iter().map(|session| session.id).collect::<Vec<_>>(), [session_id(3)]);
}
