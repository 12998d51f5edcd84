pub(crate) mod signer;

use std::{
    io::{Read, Write},
    net::TcpListener,
    path::PathBuf,
    sync::atomic::{AtomicI64, Ordering},
    thread,
};

use patrol_domain::{
    Versioned,
    access::Role,
    ids::{UserId, Uuid},
    shared::ports::MockClock,
    user::{MockUsers, User},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::signer::Signer;
use super::*;

pub(crate) const ISSUER: &str = "https://id.example";
/// The time, in seconds since 1970, at which tests start.
pub(crate) const NOON: i64 = 1_800_000_000;
pub(crate) const GUARD: UserId = UserId(Uuid::from_u128(0x0190_a000_0000_7000_8000_0000_0000_0001));

fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": ["other", "patrol"], "sub": GUARD.to_string(), "exp": NOON + 60 })
}

fn changed(member: &str, value: Value) -> Value {
    let mut claims = claims();
    match value {
        Value::Null => drop(claims.as_object_mut().unwrap().remove(member)),
        value => claims[member] = value,
    }
    claims
}

/// A provider whose keys are in a file, and the verifier.
struct Trial {
    folder: TempDir,
    now: Arc<AtomicI64>,
    tokens: JwtTokens,
}

impl Trial {
    fn new(keys: &[&Signer], users: MockUsers) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = KeySource::File(folder.path().join("keys.json"));
        let (tokens, now) = tokens(source, users);
        let trial = Self { folder, now, tokens };
        trial.show(keys);
        trial
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("keys.json")
    }

    /// Replaces the keys of the provider.
    fn show(&self, keys: &[&Signer]) {
        let keys: Vec<_> = keys.iter().map(|key| key.public()).collect();
        std::fs::write(self.path(), json!({ "keys": keys }).to_string()).unwrap();
    }

    fn later(&self, seconds: i64) {
        self.now.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    async fn is_guard(&self, token: &str) -> bool {
        let checked = self.tokens.authenticate(token).await.unwrap();
        if let Ok(caller) = checked {
            assert_eq!(caller, Caller { user: GUARD, role: Role::Manager, token: None });
        }
        checked.is_ok()
    }

    async fn rejection(&self, token: &str) -> Rejection {
        self.tokens.authenticate(token).await.unwrap().unwrap_err()
    }
}

fn tokens(keys: KeySource, users: MockUsers) -> (JwtTokens, Arc<AtomicI64>) {
    let now = Arc::new(AtomicI64::new(NOON * 1000));
    let (asked, mut clock) = (Arc::clone(&now), MockClock::new());
    let time = move || Timestamp::from_millis(asked.load(Ordering::SeqCst)).unwrap();
    clock.expect_now().returning(time);
    use_ring();
    let provider = Provider { issuer: ISSUER.to_owned(), audience: "patrol".to_owned(), keys };
    (JwtTokens::new(provider, Arc::new(users), Arc::new(clock)).unwrap(), now)
}

pub(crate) fn guard(status: UserStatus) -> User {
    User {
        employee_no: Some("A-1".to_owned()),
        email: Some("ann@example.org".to_owned()),
        status,
        ..User::new(GUARD, "Ann", "Lee", "en", Role::Manager)
    }
}

fn users() -> MockUsers {
    let mut users = MockUsers::new();
    users.expect_get().returning(|id| {
        Ok((id == GUARD).then(|| Versioned::unversioned(guard(UserStatus::Active))))
    });
    users.expect_find().returning(|name| {
        let known = ["a-1", "ann@example.org"].contains(&name.to_lowercase().as_str());
        Ok(known.then(|| guard(UserStatus::Active)).into_iter().collect())
    });
    users
}

#[tokio::test]
async fn every_asymmetric_kind_of_key_verifies() {
    for signer in [Signer::ecdsa("a"), Signer::ed25519("a"), Signer::rsa("a")] {
        let trial = Trial::new(&[&signer], users());
        assert!(trial.is_guard(&signer.sign(&claims())).await, "{:?}", signer.algorithm());
        let mut forged = signer.sign(&claims()).into_bytes();
        let last = forged.len() - 10;
        forged[last] = if forged[last] == b'A' { b'B' } else { b'A' };
        assert!(!trial.is_guard(&String::from_utf8(forged).unwrap()).await);
    }
}

#[tokio::test]
async fn the_user_is_named_by_id_number_or_address() {
    let signer = Signer::ecdsa("a");
    let trial = Trial::new(&[&signer], users());
    for (subject, known) in [
        (GUARD.to_string(), true),
        ("A-1".to_owned(), true),
        ("Ann@Example.org".to_owned(), true),
        ("0190a000-0000-7000-8000-000000000099".to_owned(), false),
        ("nobody".to_owned(), false),
    ] {
        let token = signer.sign(&changed("sub", json!(subject)));
        assert_eq!(trial.is_guard(&token).await, known, "{subject}");
    }
}

#[tokio::test]
async fn what_is_not_meant_for_us_or_not_said_opens_nothing() {
    let signer = Signer::ecdsa("a");
    let trial = Trial::new(&[&signer], users());
    let unknown = "0190a000-0000-7000-8000-000000000099";
    for (member, value, rejection) in [
        ("iss", json!("https://other.example"), Rejection::Issuer),
        ("iss", Value::Null, Rejection::MissingClaim("iss")),
        ("aud", json!("other"), Rejection::Audience),
        ("aud", json!([]), Rejection::Audience),
        ("aud", Value::Null, Rejection::MissingClaim("aud")),
        ("exp", json!(NOON), Rejection::Expired),
        ("exp", json!("never"), Rejection::MissingClaim("exp")),
        ("exp", Value::Null, Rejection::MissingClaim("exp")),
        ("nbf", json!(NOON + 31), Rejection::NotYetValid),
        ("sub", json!(7), Rejection::MissingClaim("sub")),
        ("sub", Value::Null, Rejection::MissingClaim("sub")),
        ("sub", json!(unknown), Rejection::UnknownSubject),
        ("nbf", json!("soon"), Rejection::Claims),
    ] {
        let token = signer.sign(&changed(member, value.clone()));
        assert_eq!(trial.rejection(&token).await, rejection, "{member} {value}");
    }
    assert!(trial.is_guard(&signer.sign(&changed("nbf", json!(NOON + 30)))).await);
    assert!(trial.is_guard(&signer.sign(&changed("aud", json!("patrol")))).await);
}

#[tokio::test]
async fn a_token_ends_when_it_says_even_while_it_is_remembered() {
    let signer = Signer::ecdsa("a");
    let trial = Trial::new(&[&signer], users());
    let token = signer.sign(&claims());
    assert!(trial.is_guard(&token).await);
    trial.later(60);
    assert!(!trial.is_guard(&token).await);
}

#[tokio::test]
async fn nobody_signs_with_what_everybody_knows() {
    let signer = Signer::rsa("a");
    let trial = Trial::new(&[&signer], users());
    // {"alg":"HS256","kid":"a"}: signed with a shared secret. And a token that is not signed at all.
    let signed = signer.sign(&claims());
    let [_, of_claims, signature] = signed.split('.').collect::<Vec<_>>()[..] else { panic!() };
    let forged = format!("eyJhbGciOiJIUzI1NiIsImtpZCI6ImEifQ.{of_claims}.{signature}");
    assert_eq!(trial.rejection(&forged).await, Rejection::Algorithm);
    // {"alg":"none"}
    let unsigned = format!("eyJhbGciOiJub25lIn0.{of_claims}.");
    for malformed in ["", "a.b.c", "a", "Ёж.Ёж.Ёж", &unsigned] {
        assert_eq!(trial.rejection(malformed).await, Rejection::Malformed, "{malformed}");
    }
    assert!(!trial.is_guard("eyJhbGciOiJFUzI1NiJ9..").await);
    // {"alg":"RS256","kid":"a","crit":["b"]}
    let extended = format!("eyJhbGciOiJSUzI1NiIsImtpZCI6ImEiLCJjcml0IjpbImIiXX0.{of_claims}.");
    assert_eq!(trial.rejection(&extended).await, Rejection::Extension);
}

#[tokio::test]
async fn keys_that_are_not_for_signatures_or_not_asymmetric_are_left_out() {
    let signer = Signer::ecdsa("a");
    let trial = Trial::new(&[&signer], users());
    let token = signer.sign(&claims());
    let mut for_secrets = signer.public();
    for_secrets["use"] = json!("enc");
    let secret = json!({ "kty": "oct", "kid": "a", "k": "c2VjcmV0", "alg": "HS256" });
    let unknown = json!({ "kty": "new", "kid": "b" });
    for unusable in [json!({ "keys": [for_secrets, secret, unknown] }), json!([]), json!({})] {
        std::fs::write(trial.path(), unusable.to_string()).unwrap();
        let answer = trial.tokens.authenticate(&token).await;
        assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{unusable}");
        trial.later(10);
    }
    let keys = json!({ "keys": [json!({ "kty": "new" }), signer.public()] });
    std::fs::write(trial.path(), keys.to_string()).unwrap();
    assert!(trial.is_guard(&token).await, "one that is not known spoils no other");
}

#[tokio::test]
async fn keys_rotate() {
    let (old, new) = (Signer::ecdsa("old"), Signer::ed25519("new"));
    let trial = Trial::new(&[&old], users());
    assert!(trial.is_guard(&old.sign(&claims())).await);
    trial.show(&[&old, &new]);
    let unknown = trial.rejection(&new.sign(&claims())).await;
    assert_eq!(unknown, Rejection::UnknownKey, "they were read just now");
    trial.later(10);
    assert!(trial.is_guard(&new.sign(&claims())).await);
    assert!(trial.is_guard(&old.sign(&changed("jti", json!(1)))).await, "both are valid");
    trial.show(&[&new]);
    trial.tokens.refresh().await.unwrap();
    assert!(!trial.is_guard(&old.sign(&changed("jti", json!(2)))).await, "it was withdrawn");
}

#[tokio::test]
async fn a_provider_that_is_away_is_an_outage_only_for_keys_that_are_not_known() {
    let (known, unknown) = (Signer::ecdsa("known"), Signer::ecdsa("unknown"));
    let trial = Trial::new(&[&known], users());
    assert!(trial.is_guard(&known.sign(&claims())).await);
    std::fs::remove_file(trial.path()).unwrap();
    trial.later(10);
    assert!(trial.tokens.refresh().await.is_err());
    assert!(trial.is_guard(&known.sign(&changed("jti", json!(1)))).await);
    let answer = trial.tokens.authenticate(&unknown.sign(&claims())).await;
    assert!(matches!(answer, Err(StoreError::Unavailable(_))));
    assert!(!trial.is_guard("ptl_nonsense").await, "what is no token at all is refused");
}

#[tokio::test]
async fn a_token_without_a_key_id_is_tried_with_all() {
    let (mut one, other) = (Signer::ecdsa("one"), Signer::ecdsa("other"));
    let trial = Trial::new(&[&other, &one], users());
    one.kid = None;
    assert!(trial.is_guard(&one.sign(&claims())).await);
}

#[tokio::test]
async fn a_user_who_has_left_has_no_token() {
    let signer = Signer::ecdsa("a");
    let mut users = MockUsers::new();
    users.expect_get().returning(|_| Ok(Some(Versioned::unversioned(guard(UserStatus::Inactive)))));
    let trial = Trial::new(&[&signer], users);
    let rejection = trial.rejection(&signer.sign(&claims())).await;
    assert_eq!(rejection, Rejection::InactiveUser(GUARD));
}

#[tokio::test]
async fn a_forged_token_and_one_without_a_key_id_are_told_apart_from_those_of_others() {
    let (one, other, stranger) = (Signer::ecdsa("a"), Signer::ecdsa("b"), Signer::ecdsa("a"));
    let trial = Trial::new(&[&one, &other], users());
    assert_eq!(trial.rejection(&stranger.sign(&claims())).await, Rejection::Signature);
    // Tried with both keys; only one matches the signature.
    for mut signer in [one, other] {
        signer.kid = None;
        let token = signer.sign(&changed("aud", json!("other")));
        assert_eq!(trial.rejection(&token).await, Rejection::Audience);
    }
}

#[tokio::test]
async fn an_ambiguous_subject_names_no_user_and_an_id_still_does() {
    let other = UserId(Uuid::from_u128(9));
    let signer = Signer::ecdsa("a");
    let mut users = MockUsers::new();
    users.expect_get().returning(|_| Ok(Some(Versioned::unversioned(guard(UserStatus::Active)))));
    users.expect_find().returning(move |_| {
        let active = guard(UserStatus::Active);
        Ok(vec![active.clone(), User { id: other, ..active }])
    });
    let trial = Trial::new(&[&signer], users);
    let token = signer.sign(&changed("sub", json!("ann@example.org")));
    let rejection = trial.rejection(&token).await;
    assert_eq!(rejection, Rejection::AmbiguousSubject(vec![GUARD, other]));
    assert!(rejection.to_string().contains(&other.to_string()));
    assert!(trial.is_guard(&signer.sign(&claims())).await);
}

#[tokio::test]
async fn keys_come_from_a_url_too() {
    let signer = Signer::ecdsa("a");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let body = json!({ "keys": [signer.public()] }).to_string();
    let asked = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 1024];
        let length = stream.read(&mut head).unwrap();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    let (tokens, _) = tokens(url.parse().unwrap(), users());
    let token = signer.sign(&claims());
    for _ in 0..3 {
        assert!(tokens.authenticate(&token).await.unwrap().is_ok());
    }
    assert!(asked.join().unwrap().starts_with("GET /keys HTTP/1.1"));
}
