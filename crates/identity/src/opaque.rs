//! Verifies opaque tokens.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use async_trait::async_trait;
use patrol_domain::{
    Clock, StoreError, Timestamp,
    access::{Authentication, Caller, Digest, Rejection, TokenOwner, Tokens},
    ids::TokenId,
};

use crate::{remembered::Remembered, secret::digest_of};

/// The precision of a token's last use, in milliseconds.
const MINUTE: i64 = 60_000;

/// Verifies opaque tokens with the digests in the store.
pub struct OpaqueTokens {
    tokens: Arc<dyn Tokens>,
    clock: Arc<dyn Clock>,
    remembered: Remembered<Digest, Arc<Verified>>,
    uses: Mutex<HashMap<TokenId, Timestamp>>,
}

struct Verified {
    owner: TokenOwner,
    /// The minute in which a use was last recorded, so that most requests need not record it again.
    noted: AtomicI64,
}

impl OpaqueTokens {
    /// A verifier for the tokens of this store.
    #[must_use]
    pub fn new(tokens: Arc<dyn Tokens>, clock: Arc<dyn Clock>) -> Self {
        Self { tokens, clock, remembered: Remembered::new(), uses: Mutex::default() }
    }

    /// Stores the last uses recorded since the last call. Called every 5 seconds and at shutdown, so that
    /// a read request does not wait for a write.
    ///
    /// # Errors
    /// When the store fails; the uses are kept for the next call.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let uses = std::mem::take(&mut *self.uses());
        if uses.is_empty() {
            return Ok(());
        }
        let stored = self.tokens.touch(uses.iter().map(|(id, at)| (*id, *at)).collect()).await;
        if stored.is_err() {
            let mut kept = self.uses();
            for (id, at) in uses {
                kept.entry(id).or_insert(at);
            }
        }
        stored
    }

    fn uses(&self) -> std::sync::MutexGuard<'_, HashMap<TokenId, Timestamp>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_use(&self, verified: &Verified, now: Timestamp) {
        let minute = now.millis().div_euclid(MINUTE);
        if verified.noted.swap(minute, Ordering::Relaxed) != minute
            && let Some(start) = Timestamp::from_millis(minute * MINUTE)
        {
            self.uses().insert(verified.owner.token, start);
        }
    }
}

#[async_trait]
impl Authentication for OpaqueTokens {
    async fn authenticate(
        &self,
        credential: &str,
    ) -> Result<Result<Caller, Rejection>, StoreError> {
        let Some(digest) = digest_of(credential) else { return Ok(Err(Rejection::Malformed)) };
        let now = self.clock.now();
        let look_up = async {
            let unnoted = |owner| Verified { owner, noted: AtomicI64::new(i64::MIN) };
            let Some(owner) = self.tokens.owner(digest).await? else {
                return Ok(Err(Rejection::UnknownToken));
            };
            // Rejections are not cached, so that a user who is ACTIVE again gets access at once.
            Ok(owner.check(now).map(|_| Arc::new(unnoted(owner))))
        };
        let verified = self.remembered.get(digest, look_up).await?;
        let checked = verified.and_then(|verified| Ok((verified.owner.check(now)?, verified)));
        Ok(checked.map(|(caller, verified)| {
            self.note_use(&verified, now);
            caller
        }))
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{
        access::{MockTokens, Role, SecretGenerator},
        ids::{UserId, Uuid},
        shared::ports::MockClock,
        user::UserStatus,
    };

    use super::*;
    use crate::RandomSecrets;

    const NOON: i64 = 1_800_000_000_000;

    fn clock(millis: i64) -> Arc<dyn Clock> {
        let mut clock = MockClock::new();
        clock.expect_now().returning(move || Timestamp::from_millis(millis).unwrap());
        Arc::new(clock)
    }

    fn owner(expires_at: Option<i64>) -> TokenOwner {
        TokenOwner {
            token: TokenId(Uuid::from_u128(1)),
            user: UserId(Uuid::from_u128(2)),
            role: Role::Manager,
            status: UserStatus::Active,
            expires_at: expires_at.and_then(Timestamp::from_millis),
        }
    }

    #[tokio::test]
    async fn a_token_is_looked_up_once_and_its_use_is_noted_to_the_minute() {
        let (secret, digest) = RandomSecrets.generate().unwrap();
        let mut store = MockTokens::new();
        store
            .expect_owner()
            .times(1)
            .returning(move |asked| Ok((asked == digest).then(|| owner(None))));
        store.expect_touch().times(1).returning(|uses| {
            let minute = Timestamp::from_millis(NOON).unwrap();
            assert_eq!(uses, vec![(TokenId(Uuid::from_u128(1)), minute)]);
            Ok(())
        });
        let tokens = OpaqueTokens::new(Arc::new(store), clock(NOON + 59_999));
        for _ in 0..3 {
            let caller = tokens.authenticate(&secret.0).await.unwrap().unwrap();
            assert_eq!(
                caller,
                Caller {
                    user: UserId(Uuid::from_u128(2)),
                    role: Role::Manager,
                    token: Some(TokenId(Uuid::from_u128(1))),
                }
            );
        }
        tokens.flush().await.unwrap();
        tokens.flush().await.unwrap();
    }

    #[tokio::test]
    async fn an_expired_token_and_one_of_an_inactive_user_are_rejected() {
        let (secret, _) = RandomSecrets.generate().unwrap();
        let inactive = TokenOwner { status: UserStatus::Inactive, ..owner(None) };
        for (owner, rejection) in [
            (owner(Some(NOON)), Rejection::ExpiredToken(TokenId(Uuid::from_u128(1)))),
            (inactive, Rejection::InactiveUser(UserId(Uuid::from_u128(2)))),
        ] {
            let mut store = MockTokens::new();
            store.expect_owner().returning(move |_| Ok(Some(owner)));
            let tokens = OpaqueTokens::new(Arc::new(store), clock(NOON));
            assert_eq!(tokens.authenticate(&secret.0).await, Ok(Err(rejection)));
        }
    }

    #[tokio::test]
    async fn a_token_expires_while_it_is_remembered() {
        let (secret, _) = RandomSecrets.generate().unwrap();
        let mut store = MockTokens::new();
        store.expect_owner().times(1).returning(|_| Ok(Some(owner(Some(NOON)))));
        let mut times = [NOON - 1, NOON].into_iter();
        let mut clock = MockClock::new();
        clock
            .expect_now()
            .returning(move || Timestamp::from_millis(times.next().unwrap()).unwrap());
        let tokens = OpaqueTokens::new(Arc::new(store), Arc::new(clock));
        assert!(tokens.authenticate(&secret.0).await.unwrap().is_ok());
        let expired = Rejection::ExpiredToken(TokenId(Uuid::from_u128(1)));
        assert_eq!(tokens.authenticate(&secret.0).await, Ok(Err(expired)));
    }

    #[tokio::test]
    async fn an_unknown_token_is_not_remembered() {
        let (secret, _) = RandomSecrets.generate().unwrap();
        let mut store = MockTokens::new();
        store.expect_owner().times(2).returning(|_| Ok(None));
        let tokens = OpaqueTokens::new(Arc::new(store), clock(NOON));
        let unknown = || Ok(Err(Rejection::UnknownToken));
        assert_eq!(tokens.authenticate(&secret.0).await, unknown());
        assert_eq!(tokens.authenticate(&secret.0).await, unknown());
        assert_eq!(tokens.authenticate("ptl_short").await, Ok(Err(Rejection::Malformed)));
    }

    #[tokio::test]
    async fn an_outage_is_no_refusal_and_uses_wait_for_its_end() {
        let (secret, _) = RandomSecrets.generate().unwrap();
        let down = || StoreError::Unavailable("down".into());
        let mut store = MockTokens::new();
        store.expect_owner().times(1).returning(move |_| Err(down()));
        store.expect_owner().times(1).returning(|_| Ok(Some(owner(None))));
        store.expect_touch().times(1).returning(move |_| Err(down()));
        store.expect_touch().times(1).returning(|_| Ok(()));
        let tokens = OpaqueTokens::new(Arc::new(store), clock(NOON));
        assert_eq!(tokens.authenticate(&secret.0).await, Err(down()));
        assert!(tokens.authenticate(&secret.0).await.unwrap().is_ok());
        assert_eq!(tokens.flush().await, Err(down()));
        tokens.flush().await.unwrap();
    }
}
