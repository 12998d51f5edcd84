//! Invitations.

use patrol_domain::{
    EditError, Refusal,
    event::Origin,
    sign_in::{AcceptedInvitation, Invitation, NewInvitation},
    user::{User, UserStatus},
};

use super::{
    Adapter, Ports, attempt, by, digest, fail, filled, last_sign_in, linked, new_session, open,
    open_sessions, time, user_id,
};
use crate::records::edit;

const DAY: i64 = 24 * 3_600_000;

fn new(number: u8, of: u128, at: i64) -> NewInvitation {
    let invitation = Invitation::new(user_id(of), time(at));
    NewInvitation { invitation, digest: digest(number), failures: digest(101) }
}

pub(super) async fn invite(ports: &Ports, number: u8, of: u128, at: i64) {
    assert_eq!(ports.invitations.create(new(number, of, at)).await, Ok(()));
}

pub(super) async fn found(ports: &Ports, number: u8) -> Option<Invitation> {
    ports.invitations.find(digest(number)).await.expect("a read")
}

/// The use of an invitation by a user. The session has the number of the invitation.
fn accepted(number: u8, of: u128, at: i64) -> AcceptedInvitation {
    AcceptedInvitation {
        digest: digest(number),
        hash: format!("hash {number}"),
        session: new_session(number, of, at),
        failures: digest(101),
    }
}

/// An invitation is found by its digest.
pub async fn an_invitation_is_found_by_its_digest<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    invite(&ports, 1, 2, 5).await;
    assert_eq!(found(&ports, 1).await, Some(new(1, 2, 5).invitation));
    assert_eq!(found(&ports, 2).await, None);
}

/// The next invitation of a user makes the earlier ones void, and forgets its failed sign-ins. It
/// leaves the invitations of others.
pub async fn the_next_invitation_makes_the_earlier_ones_void<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for (number, of, at) in [(1, 1, 5), (2, 2, 6)] {
        invite(&ports, number, of, at).await;
    }
    fail(&ports, attempt(6), 5).await;
    invite(&ports, 3, 1, 7).await;
    invite(&ports, 4, 1, 8).await;
    let ended = |number, at, ended| {
        Some(Invitation { ended_at: Some(time(ended)), ..new(number, 1, at).invitation })
    };
    assert_eq!(found(&ports, 1).await, ended(1, 5, 7));
    assert_eq!(found(&ports, 2).await, Some(new(2, 2, 6).invitation));
    assert_eq!(found(&ports, 3).await, ended(3, 7, 8));
    assert_eq!(found(&ports, 4).await, Some(new(4, 1, 8).invitation));
    fail(&ports, attempt(9), 5).await;
}

/// `Missing` when the user does not exist, `Refused` when it is not ACTIVE. Nothing is stored.
pub async fn an_invitation_needs_an_active_user<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    invite(&ports, 1, 1, 5).await;
    let inactive = |old: &User| Ok(Some(User { status: UserStatus::Inactive, ..old.clone() }));
    ports.users.update(edit(user_id(1), inactive), by()).await.unwrap();
    let refused = EditError::Refused(Refusal::State("status".to_owned()));
    assert_eq!(ports.invitations.create(new(2, 1, 6)).await, Err(refused));
    assert_eq!(ports.invitations.create(new(2, 9, 6)).await, Err(EditError::Missing));
    assert_eq!(found(&ports, 2).await, None);
    assert_eq!(found(&ports, 1).await, Some(new(1, 1, 5).invitation));
}

/// An accepted invitation sets the password, is void from then on like the others of the user, ends
/// the sessions of the user, and opens a session. It forgets the failed sign-ins and is an event.
pub async fn an_accepted_invitation_sets_the_password_and_opens_a_session<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    open(&ports, 1, 1).await;
    invite(&ports, 2, 1, 2).await;
    invite(&ports, 3, 2, 2).await;
    fail(&ports, attempt(3), 5).await;
    let before = ports.events.newest().await.unwrap();
    let by = Origin { actor: Some(user_id(1)), ..Origin::of_program(time(9)) };
    assert_eq!(ports.invitations.accept(accepted(2, 1, 9), by).await, Ok(()));
    assert_eq!(ports.passwords.hash(user_id(1)).await, Ok(Some("hash 2".to_owned())));
    assert_eq!(open_sessions(&ports, 1).await, [new_session(2, 1, 9).session]);
    assert!(ports.sessions.find(digest(2)).await.unwrap().is_some());
    assert_eq!(found(&ports, 2).await.unwrap().ended_at, Some(time(9)));
    assert_eq!(found(&ports, 3).await.unwrap().ended_at, None);
    assert_eq!(last_sign_in(&ports, 1).await, Some(time(9)));
    assert_eq!(ports.events.newest().await.unwrap(), before + 1);
    fail(&ports, attempt(10), 5).await;
    // The first password of a user.
    assert!(!linked(&ports, 2).await);
    assert_eq!(ports.invitations.accept(accepted(3, 2, 10), by).await, Ok(()));
    assert!(linked(&ports, 2).await);
    assert_eq!(last_sign_in(&ports, 2).await, Some(time(10)));
}

/// `Missing`, and nothing changes, when an invitation is unknown, of another user, used, replaced,
/// expired, or of a user who is not ACTIVE.
pub async fn an_invitation_that_is_not_open_changes_nothing<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    let refused = async |accepted: AcceptedInvitation, why: &str| {
        let answer = ports.invitations.accept(accepted, by()).await;
        assert_eq!(answer, Err(EditError::Missing), "{why}");
    };
    invite(&ports, 1, 2, 0).await;
    refused(accepted(9, 2, 1), "unknown").await;
    refused(accepted(1, 1, 1), "of another user").await;
    refused(accepted(1, 2, DAY), "expired").await;
    invite(&ports, 2, 2, 1).await;
    refused(accepted(1, 2, 2), "replaced").await;
    let status = |status| move |old: &User| Ok(Some(User { status, ..old.clone() }));
    ports.users.update(edit(user_id(2), status(UserStatus::Inactive)), by()).await.unwrap();
    refused(accepted(2, 2, 3), "not ACTIVE").await;
    ports.users.update(edit(user_id(2), status(UserStatus::Active)), by()).await.unwrap();
    assert_eq!(ports.passwords.hash(user_id(2)).await, Ok(None));
    assert_eq!(open_sessions(&ports, 2).await, []);
    assert_eq!(ports.invitations.accept(accepted(2, 2, DAY), by()).await, Ok(()));
    refused(accepted(2, 2, DAY), "used").await;
}

/// Of several uses of an invitation at the same time one succeeds.
pub async fn of_many_uses_of_an_invitation_one_succeeds<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    invite(&ports, 1, 1, 0).await;
    let uses = (10..20_u8).map(|number| {
        let invitations = ports.invitations.clone();
        let accepted = AcceptedInvitation { digest: digest(1), ..accepted(number, 1, 5) };
        tokio::spawn(async move { invitations.accept(accepted, by()).await })
    });
    let mut succeeded = 0;
    for one in uses.collect::<Vec<_>>() {
        match one.await.expect("a use") {
            Ok(()) => succeeded += 1,
            Err(error) => assert_eq!(error, EditError::Missing),
        }
    }
    assert_eq!((succeeded, open_sessions(&ports, 1).await.len()), (1, 1));
}

/// Invitations that were used, replaced or have expired are deleted some time later.
pub async fn ended_invitations_are_deleted<A: Adapter>(adapter: &A) {
    let ports = filled(adapter).await;
    for (number, of, at) in [(1, 1, 0), (2, 1, 5), (3, 1, 6), (4, 2, 7)] {
        invite(&ports, number, of, at).await;
    }
    // 1 ended at 5, 2 at 6; 3 and 4 expire a day after they were made.
    assert_eq!(ports.invitations.delete_ended(time(5)).await, Ok(1));
    assert_eq!(ports.invitations.delete_ended(time(5)).await, Ok(0));
    assert_eq!(found(&ports, 1).await, None);
    assert!(found(&ports, 2).await.is_some());
    assert_eq!(ports.invitations.delete_ended(time(DAY + 6)).await, Ok(2));
    assert!(found(&ports, 3).await.is_none() && found(&ports, 4).await.is_some());
}
