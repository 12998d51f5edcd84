//! JWTs of an external identity provider, as an alternative to opaque tokens.

mod keys;
mod signature;
mod source;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jsonwebtoken::{Header, Validation, decode, decode_header, errors::ErrorKind};
use patrol_domain::{
    Clock, StoreError, Timestamp,
    access::{Authentication, Caller, Rejection},
    user::{Identity, UserStatus, Users, identify},
};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use self::keys::Keys;
pub use self::signature::use_ring;
pub use self::source::{KeySource, KeysError};
use crate::remembered::Remembered;

/// How many seconds a provider's clock may be ahead: a token is often valid from the moment of its
/// creation.
const LEEWAY: f64 = 30.0;

/// The required claims.
const REQUIRED: [&str; 4] = ["exp", "iss", "aud", "sub"];

/// The identity provider whose tokens are accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provider {
    /// The required `iss` of its tokens.
    pub issuer: String,
    /// The value that `aud` has to contain.
    pub audience: String,
    /// Where its public keys are published.
    pub keys: KeySource,
}

/// Verifies asymmetrically signed JWTs of one provider. `sub` names the user by id, else by
/// employee number or email address.
pub struct JwtTokens {
    issuer: String,
    audience: String,
    keys: Keys,
    users: Arc<dyn Users>,
    clock: Arc<dyn Clock>,
    remembered: Remembered<[u8; 32], Verified>,
}

/// The content of a verified token.
#[derive(Clone, Copy)]
struct Verified {
    caller: Caller,
    period: Period,
}

/// The validity of a token, in seconds since 1970.
#[derive(Clone, Copy)]
struct Period {
    begins: f64,
    ends: f64,
}

/// The claims that are not compared with settings.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    #[serde(default)]
    nbf: f64,
}

impl JwtTokens {
    /// A verifier for this provider. Its keys are read when they are first needed.
    ///
    /// # Errors
    /// When no HTTPS client can be created, because the system has no root certificates.
    pub fn new(
        provider: Provider,
        users: Arc<dyn Users>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, KeysError> {
        let Provider { issuer, audience, keys } = provider;
        let (keys, remembered) = (Keys::new(keys)?, Remembered::new());
        Ok(Self { issuer, audience, keys, users, clock, remembered })
    }

    /// Reads the provider's keys again. Called periodically, so that tokens of a withdrawn key are
    /// refused.
    ///
    /// # Errors
    /// When the keys cannot be read; the known keys stay in use.
    pub async fn refresh(&self) -> Result<(), KeysError> {
        self.keys.refresh(self.clock.now()).await
    }

    /// The claims of the token, if this provider issued it, for this audience, and signed it with
    /// one of its keys.
    async fn claims(
        &self,
        token: &str,
        header: &Header,
        now: Timestamp,
    ) -> Result<Result<Claims, Rejection>, StoreError> {
        if !keys::is_asymmetric(header.alg) {
            return Ok(Err(Rejection::Algorithm));
        }
        let unavailable = |error: KeysError| StoreError::Unavailable(error.to_string());
        let keys = self.keys.fitting(header, now).await.map_err(unavailable)?;
        let mut rules = Validation::new(header.alg);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[&self.audience]);
        rules.set_required_spec_claims(&REQUIRED);
        // Times are checked later, with the same clock as all other times.
        rules.validate_exp = false;
        let mut rejection = Rejection::UnknownKey;
        for key in keys.iter().filter(|key| key.fits(header)) {
            match decode::<Value>(token, &key.key, &rules) {
                Ok(token) => {
                    return Ok(Claims::deserialize(token.claims).map_err(|_| Rejection::Claims));
                }
                Err(error) => rejection = rejection_of(error.kind(), rejection),
            }
        }
        Ok(Err(rejection))
    }

    async fn verify(
        &self,
        token: &str,
        now: Timestamp,
    ) -> Result<Result<Verified, Rejection>, StoreError> {
        let Ok(header) = decode_header(token) else { return Ok(Err(Rejection::Malformed)) };
        if header.crit.is_some() {
            return Ok(Err(Rejection::Extension));
        }
        let claims = match self.claims(token, &header, now).await? {
            Ok(claims) => claims,
            Err(rejection) => return Ok(Err(rejection)),
        };
        let period = Period { begins: claims.nbf, ends: claims.exp };
        if let Err(rejection) = period.check(now) {
            return Ok(Err(rejection));
        }
        Ok(match identify(self.users.as_ref(), &claims.sub).await? {
            Identity::Unknown => Err(Rejection::UnknownSubject),
            Identity::Ambiguous(users) => Err(Rejection::AmbiguousSubject(users)),
            Identity::User(user) if user.status != UserStatus::Active => {
                Err(Rejection::InactiveUser(user.id))
            }
            Identity::User(user) => Ok(Verified {
                caller: Caller { user: user.id, role: user.role, token: None },
                period,
            }),
        })
    }
}

/// Why a token is refused that one key does not verify. `before` is the rejection by the keys tried
/// before. Claims are checked only after the signature matched, so no other key would accept the
/// token.
fn rejection_of(error: &ErrorKind, before: Rejection) -> Rejection {
    match error {
        ErrorKind::InvalidIssuer => Rejection::Issuer,
        ErrorKind::InvalidAudience => Rejection::Audience,
        ErrorKind::MissingRequiredClaim(name) => {
            let known = REQUIRED.into_iter().find(|required| required == name);
            known.map_or(Rejection::Claims, Rejection::MissingClaim)
        }
        ErrorKind::InvalidClaimFormat(_) | ErrorKind::Json(_) => Rejection::Claims,
        ErrorKind::InvalidToken | ErrorKind::Base64(_) | ErrorKind::Utf8(_) => Rejection::Malformed,
        _ if before == Rejection::UnknownKey => Rejection::Signature,
        _ => before,
    }
}

impl Period {
    fn check(self, now: Timestamp) -> Result<(), Rejection> {
        let now = Duration::from_millis(u64::try_from(now.millis()).unwrap_or(0)).as_secs_f64();
        if now < self.begins - LEEWAY {
            Err(Rejection::NotYetValid)
        } else if now < self.ends {
            Ok(())
        } else {
            Err(Rejection::Expired)
        }
    }
}

#[async_trait]
impl Authentication for JwtTokens {
    async fn authenticate(
        &self,
        credential: &str,
    ) -> Result<Result<Caller, Rejection>, StoreError> {
        let now = self.clock.now();
        let digest: [u8; 32] = Sha256::digest(credential).into();
        let verified = self.remembered.get(digest, self.verify(credential, now)).await?;
        Ok(verified.and_then(|Verified { caller, period }| period.check(now).map(|()| caller)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
