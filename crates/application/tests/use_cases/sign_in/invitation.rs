//! Invitations.

use patrol_application::{NewPasswordError, OpenedSession};
use patrol_domain::{
    EditError, Refusal,
    sign_in::{
        AcceptedInvitation, HashingError, Invitation, InvitationState, NewInvitation, NewSession,
        PasswordFault,
    },
};

use super::*;

const CODE: &str = "code";
const DAY: i64 = 24 * HOUR;

/// A world with the invitation [`CODE`] that was made at [`NOW`] for `user`.
fn world(user: User) -> World {
    let mut world = World::with(Some(user));
    world.invitations.expect_find().returning(|asked| {
        Ok(Some(Invitation::new(ME, at(NOW))).filter(|_| asked == digest(CODE)))
    });
    world
}

fn active() -> User {
    person(UserStatus::Active)
}

#[tokio::test]
async fn an_invitation_is_stored_by_the_digest_of_its_code() {
    let mut world = World::new();
    world.invitations.expect_create().times(1).returning(|new| {
        let invitation = Invitation::new(ME, at(NOW));
        let expected = NewInvitation {
            invitation,
            digest: digest(&"s".repeat(43)),
            failures: digest(&format!("user {ME}")),
        };
        assert_eq!(new, expected);
        Ok(())
    });
    let log = Arc::clone(&world.log);
    let code = world.service().invite(OPERATOR.into(), ME).await;
    assert_eq!(code, Ok(Secret("s".repeat(43))));
    assert_eq!(*log.lock().unwrap(), [(SignInEvent::Invited, Some(ME), None)]);
    let inactive = Refusal::State("status".into());
    for (error, failure) in [
        (EditError::Missing, Failure::NotFound),
        (inactive.clone().into(), inactive.into()),
        (down().into(), down().into()),
    ] {
        let mut world = World::new();
        world.invitations.expect_create().return_once(move |_| Err(error));
        assert_eq!(world.service().invite(OPERATOR.into(), ME).await, Err(failure));
    }
}

#[tokio::test]
async fn a_code_is_open_void_or_unknown() {
    let state = async |user, now, code| world(user).service_at(now).invitation(code).await.unwrap();
    let open = InvitationState::Open(Box::new(active()));
    assert_eq!(state(active(), NOW, CODE).await, open);
    assert_eq!(state(active(), NOW + DAY - 1, CODE).await, open);
    assert_eq!(state(active(), NOW + DAY, CODE).await, InvitationState::Void);
    let inactive = person(UserStatus::Inactive);
    assert_eq!(state(inactive, NOW, CODE).await, InvitationState::Void);
    assert_eq!(state(active(), NOW, "other").await, InvitationState::Unknown);
}

async fn accept(
    world: World,
    now: i64,
    code: &str,
    password: &str,
) -> Result<OpenedSession, NewPasswordError> {
    world.service_at(now).accept_invitation(code, password, visitor()).await
}

#[tokio::test]
async fn an_accepted_invitation_sets_the_password_and_opens_a_session() {
    let mut world = world(active());
    world.hashing.expect_hash().returning(|password| Ok(format!("hash of {password}")));
    world.invitations.expect_accept().times(1).returning(|accepted, by| {
        let new = NewSession {
            session: session(NOW),
            digest: digest(&"s".repeat(43)),
            max_sessions: 1000,
        };
        let expected = AcceptedInvitation {
            digest: digest(CODE),
            hash: "hash of correct horse".into(),
            session: new,
            failures: digest(&format!("user {ME}")),
        };
        assert!(accepted == expected && by.actor == Some(ME) && by.at == at(NOW));
        Ok(())
    });
    let opened = accept(world, NOW, CODE, "correct horse").await.unwrap();
    assert_eq!((opened.session, opened.secret.0.len()), (SESSION, 43));
}

#[tokio::test]
async fn an_invitation_that_is_not_open_is_refused_before_anything_is_hashed() {
    let refused = accept(world(active()), NOW + DAY, CODE, "correct horse").await;
    assert_eq!(refused, Err(NewPasswordError::Void));
    let refused = accept(world(active()), NOW, "other", "correct horse").await;
    assert_eq!(refused, Err(NewPasswordError::Unknown));
    let refused = accept(world(active()), NOW, CODE, "ada@example.org").await;
    assert_eq!(refused, Err(NewPasswordError::Password(PasswordFault::Personal)));
}

#[tokio::test]
async fn an_invitation_that_ends_meanwhile_is_void_and_an_outage_is_reported() {
    for (error, expected) in
        [(EditError::Missing, NewPasswordError::Void), (EditError::Store(down()), down().into())]
    {
        let mut world = world(active());
        world.hashing.expect_hash().returning(|_| Ok(String::new()));
        world.invitations.expect_accept().return_once(move |_, _| Err(error));
        assert_eq!(accept(world, NOW, CODE, "correct horse").await, Err(expected));
    }
    let mut world = world(active());
    world.hashing.expect_hash().returning(|_| Err(HashingError::Busy));
    assert_eq!(accept(world, NOW, CODE, "correct horse").await, Err(NewPasswordError::Busy));
}
