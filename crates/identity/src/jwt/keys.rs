//! The keys of an identity provider, read again when a token names an unknown key.

use std::sync::{Arc, PoisonError, RwLock};

use jsonwebtoken::{
    Algorithm::{self, ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512},
    DecodingKey, Header,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse},
};
use patrol_domain::Timestamp;
use reqwest::Client;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::source::{KeySource, KeysError};

/// The least time, in milliseconds, between two reads that unknown keys cause, so that made-up
/// tokens do not flood the provider with requests.
const PAUSE: i64 = 10_000;

/// The accepted algorithms: only asymmetric ones, because with a shared secret Patrol could forge
/// the tokens that it verifies.
const ASYMMETRIC: [Algorithm; 9] = [RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA];

/// Whether a token signed with this algorithm is accepted.
pub(super) fn is_asymmetric(algorithm: Algorithm) -> bool {
    ASYMMETRIC.contains(&algorithm)
}

/// The keys of a provider, as last read.
pub(super) struct Keys {
    source: KeySource,
    client: Client,
    known: RwLock<Arc<[Key]>>,
    /// The time and the result of the last read. Locked while the keys are read, so that only one
    /// read runs at a time.
    asked: Mutex<Option<(Timestamp, Result<(), KeysError>)>>,
}

/// A key that can verify signatures.
pub(super) struct Key {
    id: Option<String>,
    algorithms: &'static [Algorithm],
    pub(super) key: DecodingKey,
}

#[derive(Deserialize)]
struct Set {
    /// Decoded one by one, so that a key of an unknown kind does not make the others unusable.
    keys: Vec<Value>,
}

impl Keys {
    pub(super) fn new(source: KeySource) -> Result<Self, KeysError> {
        let known = RwLock::new(Arc::default());
        Ok(Self { client: source.client()?, source, known, asked: Mutex::new(None) })
    }

    /// The keys that fit a token with this header. When there are none, the keys are read again
    /// first.
    pub(super) async fn fitting(
        &self,
        header: &Header,
        now: Timestamp,
    ) -> Result<Arc<[Key]>, KeysError> {
        let known = self.known();
        if known.iter().any(|key| key.fits(header)) {
            return Ok(known);
        }
        let mut asked = self.asked.lock().await;
        let is_new = |at: Timestamp| (0..PAUSE).contains(&(now.millis() - at.millis()));
        match &*asked {
            Some((at, outcome)) if is_new(*at) => outcome.clone()?,
            _ => {
                let outcome = self.read().await;
                *asked = Some((now, outcome.clone()));
                outcome?;
            }
        }
        Ok(self.known())
    }

    /// Reads the keys again, which drops withdrawn keys. When reading fails, the known keys stay.
    pub(super) async fn refresh(&self, now: Timestamp) -> Result<(), KeysError> {
        let mut asked = self.asked.lock().await;
        let outcome = self.read().await;
        *asked = Some((now, outcome.clone()));
        outcome
    }

    async fn read(&self) -> Result<(), KeysError> {
        let keys = usable(&self.source.read(&self.client).await?)?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    fn known(&self) -> Arc<[Key]> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Key {
    /// Whether a token with this header may be signed with this key.
    pub(super) fn fits(&self, header: &Header) -> bool {
        let named = header.kid.is_none() || header.kid == self.id;
        named && self.algorithms.contains(&header.alg)
    }
}

fn usable(bytes: &[u8]) -> Result<Arc<[Key]>, KeysError> {
    let set: Set = serde_json::from_slice(bytes).map_err(|_| KeysError::Unusable)?;
    let read = |key| serde_json::from_value::<Jwk>(key).ok();
    let keys: Arc<[Key]> = set.keys.into_iter().filter_map(read).filter_map(verifying).collect();
    if keys.is_empty() { Err(KeysError::Unusable) } else { Ok(keys) }
}

/// The key, if it is public and meant for signatures.
fn verifying(jwk: Jwk) -> Option<Key> {
    let signs = [None, Some(PublicKeyUse::Signature)].contains(&jwk.common.public_key_use);
    let algorithms = algorithms(&jwk)?;
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    signs.then_some(Key { id: jwk.common.key_id, algorithms, key })
}

/// The algorithms of a key: the one that it names, else all of its kind.
fn algorithms(jwk: &Jwk) -> Option<&'static [Algorithm]> {
    let of_kind: &'static [Algorithm] = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => &[RS256, RS384, RS512, PS256, PS384, PS512],
        AlgorithmParameters::EllipticCurve(curve) => match curve.curve {
            EllipticCurve::P256 => &[ES256],
            EllipticCurve::P384 => &[ES384],
            _ => return None,
        },
        AlgorithmParameters::OctetKeyPair(pair) if pair.curve == EllipticCurve::Ed25519 => &[EdDSA],
        _ => return None,
    };
    match jwk.common.key_algorithm {
        None => Some(of_kind),
        Some(named) => {
            let named = named.to_string().parse().ok()?;
            of_kind.iter().find(|known| **known == named).map(std::slice::from_ref)
        }
    }
}
