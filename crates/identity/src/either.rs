//! Two ways in at once.

use std::sync::Arc;

use async_trait::async_trait;
use patrol_domain::{
    StoreError,
    access::{Authentication, Caller, Rejection},
};

use crate::{JwtTokens, OpaqueTokens, mint::digest_of};

/// Takes opaque tokens and JWTs. Which of them a credential is can be seen.
pub struct EitherTokens {
    /// Verifies tokens that are Patrol's own.
    pub opaque: Arc<OpaqueTokens>,
    /// Verifies all others.
    pub jwt: Arc<JwtTokens>,
}

#[async_trait]
impl Authentication for EitherTokens {
    async fn authenticate(
        &self,
        credential: &str,
    ) -> Result<Result<Caller, Rejection>, StoreError> {
        match digest_of(credential) {
            Some(_) => self.opaque.authenticate(credential).await,
            None => self.jwt.authenticate(credential).await,
        }
    }
}
