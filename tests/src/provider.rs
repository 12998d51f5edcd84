//! An identity provider: its key, and the JWTs that it signs.

use std::time::SystemTime;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};

/// The issuer of all JWTs.
pub const ISSUER: &str = "https://id.example";

/// The settings of a server that accepts the JWTs of the keys in `keys.json` of its directory.
pub const JWT_SETTINGS: [(&str, &str); 3] = [
    ("PATROL_AUTH_JWT_ISSUER", ISSUER),
    ("PATROL_AUTH_JWT_AUDIENCE", "patrol"),
    ("PATROL_AUTH_JWT_JWKS", "keys.json"),
];

/// A key pair of the provider.
#[derive(Debug)]
pub struct Key(EcdsaKeyPair);

/// A new key pair with this id, and its published form.
///
/// # Panics
/// When the system has no random numbers.
#[must_use]
pub fn key(id: &str) -> (Key, Value) {
    let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a key pair");
    let pair = EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).expect("a key pair");
    // A byte, then both coordinates.
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    let public = json!({
        "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": id, "x": encoded(x), "y": encoded(y)
    });
    (Key(pair), public)
}

/// A JWT for this subject that expires in so many seconds.
///
/// # Panics
/// When the key cannot sign.
#[must_use]
pub fn signed(key: &Key, id: &str, subject: &str, expires_in: i64) -> String {
    signed_with(key, id, &claims(subject, expires_in))
}

/// The claims of a JWT for this subject that expires in so many seconds.
///
/// # Panics
/// When the clock is wrong by centuries.
#[must_use]
pub fn claims(subject: &str, expires_in: i64) -> Value {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time of this age");
    let now = i64::try_from(now.as_secs()).expect("a time of this age");
    json!({"iss": ISSUER, "aud": "patrol", "sub": subject, "exp": now + expires_in})
}

/// A JWT with these claims.
///
/// # Panics
/// When the key cannot sign.
#[must_use]
pub fn signed_with(Key(pair): &Key, id: &str, claims: &Value) -> String {
    let header = json!({ "typ": "JWT", "alg": "ES256", "kid": id });
    let message = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
    let signature = pair.sign(&SystemRandom::new(), message.as_bytes()).expect("a signature");
    format!("{message}.{}", encoded(signature))
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
