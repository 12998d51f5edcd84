//! JWTs of an outside identity provider (decisions 3): a second way in.

mod keys;
mod source;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use jsonwebtoken::{Header, Validation, decode, decode_header};
use patrol_domain::{
    Clock, StoreError, Timestamp,
    access::{Authentication, Caller},
    ids::{self, UserId},
    user::{User, UserStatus, Users},
};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use self::keys::Keys;
pub use self::source::{KeySource, KeysError};
use crate::remembered::Remembered;

/// How far ahead, in seconds, a provider's clock may be: a token is often valid from the moment of
/// its making.
const LEEWAY: f64 = 30.0;

/// Who may issue tokens, and for whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provider {
    /// The `iss` of its tokens.
    pub issuer: String,
    /// What `aud` has to name.
    pub audience: String,
    /// Its public keys.
    pub keys: KeySource,
}

/// Verifies the JWTs of one provider, signed asymmetrically. They speak for the user that `sub`
/// names by id, else by employee number, else by email address.
pub struct JwtTokens {
    issuer: String,
    audience: String,
    keys: Keys,
    users: Arc<dyn Users>,
    clock: Arc<dyn Clock>,
    remembered: Remembered<[u8; 32], Verified>,
}

/// A token that was verified.
#[derive(Clone, Copy)]
struct Verified {
    caller: Caller,
    /// When it begins and ends to be valid, in seconds since 1970.
    begins: f64,
    ends: f64,
}

/// What a token says, besides what is compared with the settings.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    exp: f64,
    #[serde(default)]
    nbf: f64,
}

impl JwtTokens {
    /// Verifies tokens of this provider. Its keys are first read when they are needed.
    ///
    /// # Errors
    /// When no connection to a provider could be made at all, for want of certificates.
    pub fn new(
        provider: Provider,
        users: Arc<dyn Users>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, KeysError> {
        let Provider { issuer, audience, keys } = provider;
        let (keys, remembered) = (Keys::new(keys)?, Remembered::new());
        Ok(Self { issuer, audience, keys, users, clock, remembered })
    }

    /// Reads the provider's keys again. Called from time to time, so that a key that was withdrawn
    /// opens nothing any more.
    ///
    /// # Errors
    /// When they cannot be had; those that are known go on to be used.
    pub async fn refresh(&self) -> Result<(), KeysError> {
        self.keys.refresh(self.clock.now()).await
    }

    /// What the token says, if it is the provider's, is meant for us and is signed with one of its
    /// keys.
    async fn claims(
        &self,
        token: &str,
        header: &Header,
        now: Timestamp,
    ) -> Result<Option<Claims>, StoreError> {
        let unavailable = |error: KeysError| StoreError::Unavailable(error.to_string());
        let keys = self.keys.fitting(header, now).await.map_err(unavailable)?;
        let mut rules = Validation::new(header.alg);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[&self.audience]);
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // Times are judged by the clock that all else goes by.
        rules.validate_exp = false;
        let fitting = keys.iter().filter(|key| key.fits(header));
        let verified =
            fitting.filter_map(|key| decode::<Claims>(token, &key.key, &rules).ok()).next();
        Ok(verified.map(|token| token.claims))
    }

    async fn user(&self, subject: &str) -> Result<Option<User>, StoreError> {
        if let Some(id) = ids::parse(subject)
            && let Some(user) = self.users.get(UserId(id)).await?
        {
            return Ok(Some(user));
        }
        self.users.find(subject).await
    }

    async fn verify(&self, token: &str, now: Timestamp) -> Result<Option<Verified>, StoreError> {
        let Ok(header) = decode_header(token) else { return Ok(None) };
        // Extensions that have to be understood, and are not.
        if header.crit.is_some() {
            return Ok(None);
        }
        let Some(claims) = self.claims(token, &header, now).await? else { return Ok(None) };
        let Some(user) = self.user(&claims.sub).await? else { return Ok(None) };
        let caller = Caller { user: user.id, role: user.role };
        let active = user.status == UserStatus::Active;
        Ok(active.then_some(Verified { caller, begins: claims.nbf, ends: claims.exp }))
    }
}

impl Verified {
    fn is_valid(self, now: Timestamp) -> bool {
        let now = Duration::from_millis(u64::try_from(now.millis()).unwrap_or(0)).as_secs_f64();
        (self.begins - LEEWAY..self.ends).contains(&now)
    }
}

#[async_trait]
impl Authentication for JwtTokens {
    async fn authenticate(&self, credential: &str) -> Result<Option<Caller>, StoreError> {
        let now = self.clock.now();
        let digest: [u8; 32] = Sha256::digest(credential).into();
        let verified = self.remembered.get(digest, self.verify(credential, now)).await?;
        Ok(verified.filter(|verified| verified.is_valid(now)).map(|verified| verified.caller))
    }
}

#[cfg(test)]
mod tests;
