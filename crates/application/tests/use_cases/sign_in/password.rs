//! Signing in with a password, and changing it.

use patrol_application::{NewPasswordError, OpenedSession, SignInError};
use patrol_domain::sign_in::{
    Attempt, AttemptOutcome, HashingError, NewSession, PasswordChange, PasswordFault,
};

use super::*;

const NAME: &str = "Ada@Example.org";
const HASH: &str = "stored hash";
/// The session in which a password is changed.
const FORMER: SessionId = SessionId(Uuid::from_u128(4));

fn attempt(name: &str) -> Attempt {
    Attempt { name: digest(name), address: digest("address 192.0.2.7"), at: at(NOW) }
}

/// The attempt of the user.
fn own() -> Attempt {
    attempt(&format!("user {ME}"))
}

/// A world in which `user` has the name [`NAME`] and `stored` is its hash. The password is right when
/// `is_right`, and there are no failures yet.
fn world(user: Option<User>, stored: Option<&'static str>, is_right: bool) -> World {
    let known = user.clone();
    let mut world = World::with(user);
    world.users.expect_find().times(0..=1).returning(move |name| {
        assert_eq!(name, NAME);
        Ok(known.iter().cloned().collect())
    });
    world.failures.expect_retry_after().times(1).returning(|_| Ok(None));
    world.passwords.expect_hash().times(1).returning(move |_| Ok(stored.map(str::to_owned)));
    world.hashing.expect_verify().times(1).returning(move |typed, hash| {
        assert_eq!((typed.as_str(), hash.as_deref()), ("typed", stored));
        Ok(is_right)
    });
    world
}

type Opened = Result<OpenedSession, SignInError>;

async fn sign_in(world: World) -> Opened {
    world.service().sign_in(NAME, "typed", visitor()).await
}

fn opened() -> OpenedSession {
    OpenedSession { session: SESSION, secret: Secret("s".repeat(43)), role: Role::Employee }
}

#[tokio::test]
async fn the_right_password_opens_a_session() {
    let mut world = world(Some(person(UserStatus::Active)), Some(HASH), true);
    world.sessions.expect_open().times(1).returning(|new, verified, attempt| {
        let NewSession { session: new, digest: stored, max_sessions } = new;
        assert_eq!((new, stored), (session(NOW), digest(&"s".repeat(43))));
        assert_eq!((verified.as_str(), attempt, max_sessions), (HASH, own(), 1000));
        Ok(AttemptOutcome::Done)
    });
    let log = Arc::clone(&world.log);
    assert_eq!(sign_in(world).await, Ok(opened()));
    let address = Some("192.0.2.7".to_owned());
    assert_eq!(*log.lock().unwrap(), [(SignInEvent::SignedIn, Some(ME), address)]);
}

#[tokio::test]
async fn every_failure_is_the_same_counted_and_after_the_same_work() {
    let active = || Some(person(UserStatus::Active));
    let inactive = Some(person(UserStatus::Inactive));
    for (user, stored, is_right, counted) in [
        (None, None, false, attempt("name ada@example.org")),
        (active(), None, false, own()),
        (active(), Some(HASH), false, own()),
        (inactive, Some(HASH), true, own()),
    ] {
        // One look-up of the name, of the failures and of the hash, and one verification: `world`
        // counts the calls.
        let id = user.as_ref().map(|user| user.id);
        let mut world = world(user, stored, is_right);
        world.failures.expect_add().times(1).returning(move |attempt| {
            assert_eq!(attempt, counted);
            Ok(None)
        });
        let log = Arc::clone(&world.log);
        assert_eq!(sign_in(world).await, Err(SignInError::Failed));
        let address = Some("192.0.2.7".to_owned());
        assert_eq!(*log.lock().unwrap(), [(SignInEvent::Failed, id, address)]);
    }
}

#[tokio::test]
async fn a_name_of_two_users_is_the_name_of_neither() {
    let mut world = World::new();
    let both =
        || vec![person(UserStatus::Active), User { id: OTHER, ..person(UserStatus::Active) }];
    world.users.expect_find().returning(move |_| Ok(both()));
    world.failures.expect_retry_after().returning(|_| Ok(None));
    world.passwords.expect_hash().returning(|user| {
        assert!(user != ME && user != OTHER);
        Ok(None)
    });
    world.hashing.expect_verify().returning(|_, _| Ok(false));
    world.failures.expect_add().times(1).returning(|attempt| {
        assert_eq!(attempt.name, digest("name ada@example.org"));
        Ok(None)
    });
    assert_eq!(sign_in(world).await, Err(SignInError::Failed));
}

#[tokio::test]
async fn a_throttled_attempt_is_refused_before_anything_is_verified() {
    let mut world = World::new();
    world.users.expect_find().returning(|_| Ok(Vec::new()));
    world.failures.expect_retry_after().returning(|_| Ok(Some(minutes(7))));
    let log = Arc::clone(&world.log);
    let retry_after = minutes(7);
    assert_eq!(sign_in(world).await, Err(SignInError::Throttled { retry_after }));
    let address = Some("192.0.2.7".to_owned());
    assert_eq!(*log.lock().unwrap(), [(SignInEvent::Throttled, None, address)]);
}

#[tokio::test]
async fn failures_of_others_in_the_meantime_throttle_right_and_wrong_passwords() {
    let throttled = Err(SignInError::Throttled { retry_after: minutes(3) });
    let mut wrong = world(Some(person(UserStatus::Active)), Some(HASH), false);
    wrong.failures.expect_add().times(1).returning(|_| Ok(Some(minutes(3))));
    assert_eq!(sign_in(wrong).await, throttled);
    let mut right = world(Some(person(UserStatus::Active)), Some(HASH), true);
    let outcome = AttemptOutcome::Throttled(minutes(3));
    right.sessions.expect_open().times(1).returning(move |_, _, _| Ok(outcome));
    assert_eq!(sign_in(right).await, throttled);
}

#[tokio::test]
async fn a_password_that_was_replaced_in_the_meantime_is_wrong() {
    let mut world = world(Some(person(UserStatus::Active)), Some(HASH), true);
    world.sessions.expect_open().times(1).returning(|_, _, _| Ok(AttemptOutcome::Outdated));
    world.failures.expect_add().times(1).returning(|_| Ok(None));
    assert_eq!(sign_in(world).await, Err(SignInError::Failed));
}

#[tokio::test]
async fn a_sign_in_reports_a_busy_hasher_and_an_outage() {
    for (error, expected) in [
        (HashingError::Busy, SignInError::Busy),
        (HashingError::Failed("x".into()), StoreError::Internal("x".into()).into()),
    ] {
        let mut world = World::new();
        world.users.expect_find().returning(|_| Ok(Vec::new()));
        world.failures.expect_retry_after().returning(|_| Ok(None));
        world.passwords.expect_hash().returning(|_| Ok(None));
        world.hashing.expect_verify().returning(move |_, _| Err(error.clone()));
        assert_eq!(sign_in(world).await, Err(expected));
    }
    let mut world = World::new();
    world.users.expect_find().returning(|_| Err(down()));
    assert_eq!(sign_in(world).await, Err(down().into()));
}

async fn change(world: World, new: &str) -> Result<OpenedSession, NewPasswordError> {
    // The address of the request counts, not that of the sign-in.
    let session = Session { id: FORMER, address: "198.51.100.1".to_owned(), ..session(NOW) };
    let user = person(UserStatus::Active);
    let session = ActiveSession { session, user, ends_at: Timestamp::LAST };
    world.service().change_password(&session, "typed", new, visitor(), me()).await
}

#[tokio::test]
async fn a_user_changes_its_password_in_a_session() {
    let mut world = world(Some(person(UserStatus::Active)), Some(HASH), true);
    world.hashing.expect_hash().returning(|password| Ok(format!("hash of {password}")));
    world.passwords.expect_change().times(1).returning(|change, by| {
        let expected = PasswordChange {
            user: ME,
            session: FORMER,
            next: NewSession {
                session: session(NOW),
                digest: digest(&"s".repeat(43)),
                max_sessions: 1000,
            },
            verified: HASH.into(),
            hash: "hash of correct horse".into(),
            attempt: own(),
        };
        assert!(change == expected && by.actor == Some(ME));
        Ok(AttemptOutcome::Done)
    });
    assert_eq!(change(world, "correct horse").await, Ok(opened()));
}

#[tokio::test]
async fn a_wrong_current_password_is_counted() {
    let mut wrong = world(Some(person(UserStatus::Active)), Some(HASH), false);
    wrong.failures.expect_add().times(1).returning(|attempt| {
        assert_eq!(attempt, own());
        Ok(None)
    });
    assert_eq!(change(wrong, "correct horse").await, Err(NewPasswordError::WrongPassword));
    // The session has ended, or the password was replaced, since it was verified.
    let mut outdated = world(Some(person(UserStatus::Active)), Some(HASH), true);
    outdated.hashing.expect_hash().returning(|_| Ok(String::new()));
    outdated.passwords.expect_change().returning(|_, _| Ok(AttemptOutcome::Outdated));
    outdated.failures.expect_add().times(1).returning(|_| Ok(None));
    assert_eq!(change(outdated, "correct horse").await, Err(NewPasswordError::WrongPassword));
}

#[tokio::test]
async fn a_change_of_the_password_is_throttled_like_a_sign_in() {
    let throttled = Err(NewPasswordError::Throttled { retry_after: minutes(2) });
    let mut at_once = World::new();
    at_once.failures.expect_retry_after().returning(|_| Ok(Some(minutes(2))));
    assert_eq!(change(at_once, "correct horse").await, throttled);
    let mut wrong = world(Some(person(UserStatus::Active)), Some(HASH), false);
    wrong.failures.expect_add().returning(|_| Ok(Some(minutes(2))));
    assert_eq!(change(wrong, "correct horse").await, throttled);
    let mut right = world(Some(person(UserStatus::Active)), Some(HASH), true);
    right.hashing.expect_hash().returning(|_| Ok(String::new()));
    let outcome = AttemptOutcome::Throttled(minutes(2));
    right.passwords.expect_change().returning(move |_, _| Ok(outcome));
    assert_eq!(change(right, "correct horse").await, throttled);
}

#[tokio::test]
async fn a_new_password_that_breaks_a_rule_is_refused_before_anything_is_verified() {
    for (new, fault) in [
        ("short", PasswordFault::Length),
        ("1qaz2wsx3edc", PasswordFault::Common),
        ("ada@example.ORG", PasswordFault::Personal),
    ] {
        assert_eq!(change(World::new(), new).await, Err(NewPasswordError::Password(fault)));
    }
}

#[tokio::test]
async fn a_change_of_the_password_reports_a_busy_hasher() {
    let mut world = World::new();
    world.failures.expect_retry_after().returning(|_| Ok(None));
    world.passwords.expect_hash().returning(|_| Ok(Some(HASH.into())));
    world.hashing.expect_verify().returning(|_, _| Err(HashingError::Busy));
    assert_eq!(change(world, "correct horse").await, Err(NewPasswordError::Busy));
}
