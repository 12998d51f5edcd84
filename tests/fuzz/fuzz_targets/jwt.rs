//! JWTs: after a first byte 0 the credential itself, else the claims, which the provider signs. Only
//! claims of this provider, for this audience and a known user, that have not expired give access.
#![no_main]

use std::{
    env, fs,
    sync::{Arc, LazyLock},
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use libfuzzer_sys::fuzz_target;
use patrol_domain::{
    Timestamp, Versioned,
    access::{Authentication, Role},
    ids::{UserId, Uuid},
    shared::ports::MockClock,
    user::{MockUsers, User},
};
use patrol_identity::{JwtTokens, KeySource, Provider, use_ring};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

const ISSUER: &str = "https://id.example";
const NOW: i64 = 1_800_000_000;
const GUARD: UserId = UserId(Uuid::from_u128(1));

struct Trial {
    runtime: Runtime,
    key: EcdsaKeyPair,
    tokens: JwtTokens,
}

static TRIAL: LazyLock<Trial> = LazyLock::new(|| {
    use_ring();
    let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a key");
    let key = EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).expect("a key");
    // A byte, then both coordinates.
    let (x, y) = key.public_key().as_ref()[1..].split_at(32);
    let [x, y] = [x, y].map(|number| BASE64_URL_SAFE_NO_PAD.encode(number));
    let public = json!({ "kty": "EC", "crv": "P-256", "alg": "ES256", "x": x, "y": y });
    let path = env::temp_dir().join(format!("patrol-fuzz-{}.json", std::process::id()));
    fs::write(&path, json!({ "keys": [public] }).to_string()).expect("a file");
    let mut users = MockUsers::new();
    let guard = || User::new(GUARD, "Ann", "Lee", "en", Role::Manager);
    users
        .expect_get()
        .returning(move |id| Ok((id == GUARD).then(|| Versioned::unversioned(guard()))));
    users.expect_find().returning(|_| Ok(Vec::new()));
    let mut clock = MockClock::new();
    clock.expect_now().returning(|| Timestamp::from_millis(NOW * 1000).expect("a time"));
    let provider = Provider {
        issuer: ISSUER.to_owned(),
        audience: "patrol".to_owned(),
        keys: KeySource::File(path),
    };
    let trial = Trial {
        runtime: Builder::new_current_thread().enable_all().build().expect("a runtime"),
        key,
        tokens: JwtTokens::new(provider, Arc::new(users), Arc::new(clock)).expect("a verifier"),
    };
    // A verifier that refuses everything would show nothing.
    let claims =
        json!({"iss": ISSUER, "aud": "patrol", "sub": GUARD.0.to_string(), "exp": NOW + 60});
    assert!(trial.accepts(&trial.signed(claims.to_string().as_bytes())));
    trial
});

impl Trial {
    fn accepts(&self, token: &str) -> bool {
        let checked = self.runtime.block_on(self.tokens.authenticate(token));
        checked.expect("the keys are there").is_ok()
    }

    /// A token with these claims, signed by the provider.
    fn signed(&self, claims: &[u8]) -> String {
        let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let message = format!("{}.{}", encode(br#"{"alg":"ES256"}"#), encode(claims));
        let signature = self.key.sign(&SystemRandom::new(), message.as_bytes());
        format!("{message}.{}", encode(signature.expect("a signature").as_ref()))
    }
}

fn gives_access(claims: &[u8]) -> bool {
    let Ok(claims) = serde_json::from_slice::<Value>(claims) else { return false };
    let is_for_us = match &claims["aud"] {
        Value::Array(audiences) => audiences.contains(&json!("patrol")),
        one => one == "patrol",
    };
    let is_from = match &claims["iss"] {
        Value::Array(issuers) => issuers.contains(&json!(ISSUER)),
        one => one == ISSUER,
    };
    let is_guard = claims["sub"].as_str().is_some_and(|sub| sub.parse() == Ok(GUARD.0));
    is_from && is_for_us && is_guard && claims["exp"].as_f64().is_some_and(|exp| exp > NOW as f64)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    if *first == 0 {
        if let Ok(credential) = str::from_utf8(rest) {
            assert!(!TRIAL.accepts(credential), "{credential}");
        }
        return;
    }
    if TRIAL.accepts(&TRIAL.signed(rest)) {
        assert!(gives_access(rest), "{}", String::from_utf8_lossy(rest));
    }
});
