//! Accepts two kinds of credentials at once.

use std::sync::Arc;

use async_trait::async_trait;
use patrol_domain::{
    StoreError,
    access::{Authentication, Caller, Rejection},
};

use crate::{JwtTokens, OpaqueTokens, secret::digest_of};

/// Accepts opaque tokens and JWTs. The prefix of a credential shows which one it is.
pub struct EitherTokens {
    /// Verifies tokens issued by Patrol.
    pub opaque: Arc<OpaqueTokens>,
    /// Verifies all other credentials.
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
