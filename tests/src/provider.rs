//! An identity provider: its key, and the JWTs that it signs.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp, jwk::Jwk};
use serde_json::{Value, json};

/// The issuer of all JWTs.
pub const ISSUER: &str = "https://id.example";

/// The settings of a server that accepts the JWTs of the keys in `keys.json` of its directory.
pub const JWT_SETTINGS: [(&str, &str); 3] = [
    ("PATROL_AUTH_JWT_ISSUER", ISSUER),
    ("PATROL_AUTH_JWT_AUDIENCE", "patrol"),
    ("PATROL_AUTH_JWT_JWKS", "keys.json"),
];

/// A new key pair with this id, and its published form.
///
/// # Panics
/// When the system has no random numbers.
#[must_use]
pub fn key(id: &str) -> (EncodingKey, Value) {
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("a key pair");
    let key = EncodingKey::from_ec_der(pair.to_pkcs8v1().expect("a private key").as_ref());
    let public = Jwk::from_encoding_key(&key, Algorithm::ES256).expect("a public key");
    let mut public = serde_json::to_value(public).expect("JSON");
    public["kid"] = id.into();
    (key, public)
}

/// A JWT for this subject that expires in so many seconds.
///
/// # Panics
/// When the key cannot sign.
#[must_use]
pub fn signed(key: &EncodingKey, id: &str, subject: &str, expires_in: i64) -> String {
    let header = Header { kid: Some(id.to_owned()), ..Header::new(Algorithm::ES256) };
    let now = i64::try_from(get_current_timestamp()).expect("a time of this age");
    let claims = json!({"iss": ISSUER, "aud": "patrol", "sub": subject, "exp": now + expires_in});
    encode(&header, &claims, key).expect("a JWT")
}
