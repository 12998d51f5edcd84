//! [`Passwords`](patrol_domain::sign_in::Passwords), [`Sessions`](patrol_domain::sign_in::Sessions),
//! [`Invitations`](patrol_domain::sign_in::Invitations) and
//! [`SignInFailures`](patrol_domain::sign_in::SignInFailures).

mod failure;
mod invitation;
mod password;
mod session;

use std::time::Duration;

use patrol_domain::{
    Timestamp,
    access::Digest,
    data_set::{NewUser, Record},
    ids::SessionId,
    sign_in::{Attempt, AttemptOutcome, NewSession, Session},
    user::User,
};

pub use failure::{
    failures_at_once_count_each_other, failures_of_a_name_and_of_an_address_are_counted,
    failures_that_no_longer_count_are_deleted,
};
pub use invitation::{
    an_accepted_invitation_sets_the_password_and_opens_a_session,
    an_invitation_is_found_by_its_digest, an_invitation_needs_an_active_user,
    an_invitation_that_is_not_open_changes_nothing, ended_invitations_are_deleted,
    of_many_uses_of_an_invitation_one_succeeds, the_next_invitation_makes_the_earlier_ones_void,
};
pub use password::{
    a_changed_password_leaves_the_next_session_only, a_new_and_a_removed_password_are_events,
    a_password_is_changed_only_in_a_session_and_with_the_verified_one,
    a_password_is_not_changed_after_too_many_failures, a_password_that_is_set_ends_all_sessions,
    a_removed_password_takes_sessions_and_invitations_along,
    a_removed_user_leaves_no_password_and_no_session, the_last_sign_ins_come_in_order,
};
pub use session::{
    a_change_of_role_or_status_ends_the_sessions, a_session_ends_for_its_user_alone,
    a_session_is_found_by_its_digest, a_session_is_last_seen_at_the_latest_time,
    a_session_opens_only_after_few_failures, a_session_opens_only_with_the_verified_password,
    all_sessions_but_one_end, expired_sessions_are_deleted, the_oldest_sessions_make_room,
};

use crate::{
    Adapter, Ports,
    sample::{by, id, import, of_user, time, user, user_id, whole_user},
};

const MINUTE: i64 = 60_000;

/// A store with user 1, whose password has the hash `hash 1`, and user 2, who has none.
async fn filled<A: Adapter>(adapter: &A) -> Ports {
    let ports = adapter.fresh().await;
    let mut records = crate::sample::places();
    let linked = User { linked: true, ..whole_user(1) };
    let first = NewUser { user: linked, password_hash: Some("hash 1".to_owned()) };
    records.extend([Record::User(Box::new(first)), of_user(user(2))]);
    import(&ports, records).await.expect("an import");
    ports
}

fn digest(number: u8) -> Digest {
    Digest([number; 32])
}

/// An attempt with the name 101, which is user 1, from the address 201.
fn attempt(at: i64) -> Attempt {
    Attempt { name: digest(101), address: digest(201), at: time(at) }
}

fn session_id(number: u8) -> SessionId {
    id(21, number.into())
}

fn session(number: u8, of: u128, at: i64) -> Session {
    Session {
        id: session_id(number),
        user: user_id(of),
        created_at: time(at),
        last_seen_at: time(at),
        address: "192.0.2.7".to_owned(),
        browser: format!("Обозреватель {number}"),
    }
}

fn new_session(number: u8, of: u128, at: i64) -> NewSession {
    NewSession { session: session(number, of, at), digest: digest(number), max_sessions: 1000 }
}

/// Opens a session of user 1.
async fn open(ports: &Ports, number: u8, at: i64) -> Session {
    let new = new_session(number, 1, at);
    let opened = ports.sessions.open(new, "hash 1".to_owned(), attempt(at)).await;
    assert_eq!(opened, Ok(AttemptOutcome::Done));
    session(number, 1, at)
}

/// The numbers of the sessions of a user, newest first.
async fn open_sessions(ports: &Ports, of: u128) -> Vec<Session> {
    ports.sessions.of_user(user_id(of)).await.expect("a read")
}

/// Adds failures of the attempt, one each millisecond.
async fn fail(ports: &Ports, attempt: Attempt, times: i64) {
    for after in 0..times {
        let at = attempt.at.shifted(after).expect("a time");
        let added = ports.sign_in_failures.add(Attempt { at, ..attempt }).await;
        assert_eq!(added, Ok(None), "{after}");
    }
}

async fn linked(ports: &Ports, of: u128) -> bool {
    ports.users.get(user_id(of)).await.expect("a read").expect("a user").record.linked
}

async fn last_sign_in(ports: &Ports, of: u128) -> Option<Timestamp> {
    ports.passwords.last_sign_ins(vec![user_id(of)]).await.expect("a read")[0]
}

fn millis(millis: u64) -> Option<Duration> {
    Some(Duration::from_millis(millis))
}
