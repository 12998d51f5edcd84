//! Signing in. The domain's tests cover the rules, the contract suite what the stores check.

mod invitation;
mod password;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use patrol_application::{ActiveSession, Actor, Failure, SignInPorts, SignInService, Visitor};
use patrol_domain::{
    StoreError, Timestamp, Versioned,
    access::{Caller, Digest, Role, Secret},
    ids::{SessionId, UserId, Uuid},
    shared::ports::{MockClock, MockIds},
    sign_in::{
        MockInvitations, MockPasswordHashing, MockPasswords, MockSessions, MockSignInFailures,
        MockSignInLog, MockSignInSecrets, Session, SessionLimits, SignInEvent,
    },
    user::{MockUsers, User, UserStatus},
};

use crate::OPERATOR;

const ME: UserId = UserId(Uuid::from_u128(1));
const OTHER: UserId = UserId(Uuid::from_u128(2));
const SESSION: SessionId = SessionId(Uuid::from_u128(3));
const NOW: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

pub(crate) fn down() -> StoreError {
    StoreError::Unavailable("down".to_owned())
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap()
}

fn person(status: UserStatus) -> User {
    let user = User::new(ME, "Ada", "Guard", "en", Role::Employee);
    User { status, email: Some("ada@example.org".into()), linked: true, ..user }
}

fn visitor() -> Visitor {
    let browser = format!("Firefox\n{}", "я".repeat(300));
    Visitor { address: "::ffff:192.0.2.7".parse().unwrap(), browser }
}

/// The session of [`visitor`].
fn session(last_seen_at: i64) -> Session {
    Session {
        id: SESSION,
        user: ME,
        created_at: at(NOW),
        last_seen_at: at(last_seen_at),
        address: "192.0.2.7".into(),
        browser: format!("Firefox{}", "я".repeat(248)),
    }
}

/// The digest of a text in these tests: its first bytes.
fn digest(text: &str) -> Digest {
    let mut bytes = [0; 32];
    text.bytes().zip(&mut bytes).for_each(|(byte, to)| *to = byte);
    Digest(bytes)
}

/// A note of the log: the event, the user and the address.
type Noted = (SignInEvent, Option<UserId>, Option<String>);

/// The mocked ports. Those without expectations panic when they are called.
pub(crate) struct World {
    pub(crate) users: MockUsers,
    pub(crate) passwords: MockPasswords,
    pub(crate) sessions: MockSessions,
    pub(crate) invitations: MockInvitations,
    pub(crate) failures: MockSignInFailures,
    pub(crate) hashing: MockPasswordHashing,
    log: Arc<Mutex<Vec<Noted>>>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            users: MockUsers::new(),
            passwords: MockPasswords::new(),
            sessions: MockSessions::new(),
            invitations: MockInvitations::new(),
            failures: MockSignInFailures::new(),
            hashing: MockPasswordHashing::new(),
            log: Arc::default(),
        }
    }

    /// Finds this user by its id.
    fn with(user: Option<User>) -> Self {
        let mut world = Self::new();
        world.users.expect_get().returning(move |id| {
            let user = user.clone().filter(|user| user.id == id);
            Ok(user.map(Versioned::unversioned))
        });
        world
    }

    /// The service at the time [`NOW`].
    pub(crate) fn service(self) -> SignInService {
        self.service_at(NOW)
    }

    fn service_at(self, now: i64) -> SignInService {
        let (mut secrets, mut log) = (MockSignInSecrets::new(), MockSignInLog::new());
        secrets.expect_generate().returning(|| {
            let secret = "s".repeat(43);
            Ok((Secret(secret.clone()), digest(&secret)))
        });
        secrets.expect_digest().returning(digest);
        let noted = Arc::clone(&self.log);
        log.expect_note().returning(move |event, user, address| {
            noted.lock().unwrap().push((event, user, address));
        });
        let (mut clock, mut ids) = (MockClock::new(), MockIds::new());
        clock.expect_now().returning(move || at(now));
        ids.expect_next().returning(|| SESSION.0);
        let ports = SignInPorts {
            users: Arc::new(self.users),
            passwords: Arc::new(self.passwords),
            sessions: Arc::new(self.sessions),
            invitations: Arc::new(self.invitations),
            failures: Arc::new(self.failures),
            hashing: Arc::new(self.hashing),
            secrets: Arc::new(secrets),
            log: Arc::new(log),
            clock: Arc::new(clock),
            ids: Arc::new(ids),
        };
        SignInService::new(ports, SessionLimits::default())
    }
}

fn me() -> Actor {
    Caller { user: ME, role: Role::Employee, token: None }.into()
}

#[tokio::test]
async fn a_session_is_valid_for_an_active_user_until_it_expires() {
    let valid = |now, status, stored: Option<Session>| async move {
        let mut world = World::with(Some(person(status)));
        world.sessions.expect_find().returning(move |asked| {
            assert_eq!(asked, digest("secret"));
            Ok(stored.clone())
        });
        world.sessions.expect_touch().returning(|_, _| Ok(()));
        world.service_at(now).session("secret").await.unwrap()
    };
    let active = UserStatus::Active;
    let found = valid(NOW, active, Some(session(NOW))).await;
    let ends_at = at(NOW + 12 * HOUR);
    assert_eq!(found, Some(ActiveSession { session: session(NOW), user: person(active), ends_at }));
    assert_eq!(valid(NOW, active, None).await, None);
    assert_eq!(valid(NOW, UserStatus::Inactive, Some(session(NOW))).await, None);
    assert_eq!(valid(NOW + 12 * HOUR, active, Some(session(NOW))).await, None);
    let week = NOW + 7 * 24 * HOUR;
    assert_eq!(valid(week, active, Some(session(week - 1))).await, None);
}

#[tokio::test]
async fn a_session_is_touched_once_in_72_minutes() {
    for (now, touches) in [(NOW + 72 * 60_000 - 1, 0), (NOW + 72 * 60_000, 1)] {
        let mut world = World::with(Some(person(UserStatus::Active)));
        world.sessions.expect_find().returning(|_| Ok(Some(session(NOW))));
        world.sessions.expect_touch().times(touches).returning(move |id, seen| {
            assert_eq!((id, seen), (SESSION, at(now)));
            Ok(())
        });
        let found = world.service_at(now).session("secret").await.unwrap().unwrap();
        let seen = if touches == 1 { now } else { NOW };
        assert_eq!(found.session, session(seen));
    }
}

#[tokio::test]
async fn users_see_and_end_their_own_sessions() {
    let mut world = World::new();
    world.sessions.expect_of_user().times(1).returning(|user| {
        assert_eq!(user, ME);
        Ok(vec![session(NOW), session(NOW - 12 * HOUR)])
    });
    assert_eq!(world.service().sessions(me()).await, Ok(vec![session(NOW)]));
    for (is_own, ended) in [(true, Ok(())), (false, Err(Failure::NotFound))] {
        let mut world = World::new();
        world.sessions.expect_end().times(1).returning(move |user, id| {
            assert_eq!((user, id), (ME, SESSION));
            Ok(is_own)
        });
        assert_eq!(world.service().end_session(me(), SESSION).await, ended);
    }
    let mut world = World::new();
    world.sessions.expect_end_all().times(1).returning(|user, keep| {
        assert_eq!((user, keep), (ME, Some(SESSION)));
        Ok(3)
    });
    assert_eq!(world.service().end_other_sessions(me(), SESSION).await, Ok(3));
    // A command has no sessions, and the store is not asked.
    let service = World::new().service();
    assert_eq!(service.sessions(OPERATOR.into()).await, Ok(Vec::new()));
    assert_eq!(service.end_session(OPERATOR.into(), SESSION).await, Err(Failure::NotFound));
}

#[tokio::test]
async fn signing_out_ends_the_session_of_the_secret() {
    let mut world = World::new();
    let log = Arc::clone(&world.log);
    world
        .sessions
        .expect_find()
        .returning(|asked| Ok(Some(session(NOW)).filter(|_| asked == digest("secret"))));
    world.sessions.expect_end().times(1).returning(|user, id| {
        assert_eq!((user, id), (ME, SESSION));
        Ok(true)
    });
    let service = world.service();
    assert_eq!(service.sign_out("secret").await, Ok(()));
    assert_eq!(service.sign_out("unknown").await, Ok(()));
    assert_eq!(*log.lock().unwrap(), [(SignInEvent::SignedOut, Some(ME), None)]);
}

#[tokio::test]
async fn a_user_is_signed_out_and_loses_its_sign_in() {
    let mut world = World::with(Some(person(UserStatus::Active)));
    world.sessions.expect_end_all().times(1).returning(|user, keep| {
        assert_eq!((user, keep), (ME, None));
        Ok(2)
    });
    world.passwords.expect_remove().times(1).returning(|user, by| {
        assert_eq!((user, by.at, by.actor), (ME, at(NOW), None));
        Ok(())
    });
    world.passwords.expect_last_sign_ins().returning(|users| {
        assert_eq!(users, [ME, OTHER]);
        Ok(vec![None, Some(at(5))])
    });
    let service = world.service();
    assert_eq!(service.sign_out_user(OPERATOR.into(), ME).await, Ok(2));
    assert_eq!(service.sign_out_user(OPERATOR.into(), OTHER).await, Err(Failure::NotFound));
    assert_eq!(service.remove_sign_in(OPERATOR.into(), ME).await, Ok(()));
    let last = service.last_sign_ins(OPERATOR.into(), &[ME, OTHER]).await;
    assert_eq!(last, Ok(vec![None, Some(at(5))]));
}

#[tokio::test]
async fn the_program_gives_a_user_a_random_password() {
    let mut world = World::new();
    world.hashing.expect_hash().returning(|password| Ok(format!("hash of {password}")));
    world.passwords.expect_set().times(1).returning(|user, hash, _| {
        assert_eq!((user, hash), (ME, format!("hash of {}", "s".repeat(20))));
        Ok(())
    });
    let password = world.service().reset_password(OPERATOR, ME).await;
    assert_eq!(password, Ok(Secret("s".repeat(20))));
}

#[tokio::test]
async fn what_has_expired_is_deleted_in_parts() {
    let mut world = World::new();
    let mut parts = vec![0, 5, 1000];
    world.sessions.expect_delete_expired().times(3).returning(move |begin, seen| {
        assert_eq!((begin, seen), (at(NOW - 7 * 24 * HOUR), at(NOW - 12 * HOUR)));
        Ok(parts.pop().unwrap())
    });
    world.invitations.expect_delete_ended().times(1).returning(|until| {
        assert_eq!(until, at(NOW - 30 * 24 * HOUR));
        Ok(0)
    });
    world.failures.expect_delete_expired().times(1).returning(|now| {
        assert_eq!(now, at(NOW));
        Ok(0)
    });
    assert_eq!(world.service().delete_expired(OPERATOR).await, Ok(1005));
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}
