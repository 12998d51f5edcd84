//! Deletes what has expired.

use patrol_domain::{StoreError, Timestamp, sign_in::INVITATION_KEPT};

use super::SignInService;
use crate::permission::Operator;

impl SignInService {
    /// Deletes expired sessions, failures that no longer count, and invitations that ended 30 days
    /// ago. Returns their number.
    ///
    /// # Errors
    /// When the store fails. The next run deletes the rest.
    #[tracing::instrument(target = "patrol::trace", name = "sign_in.delete_expired", skip_all)]
    pub async fn delete_expired(&self, _: Operator) -> Result<usize, StoreError> {
        let (ports, now) = (&self.ports, self.ports.clock.now());
        let mut deleted = 0;
        if let Some((begin, seen)) = self.limits.last_begin(now).zip(self.limits.last_idle(now)) {
            deleted += until_none(|| ports.sessions.delete_expired(begin, seen)).await?;
        }
        if let Some(until) = forgotten(now) {
            deleted += until_none(|| ports.invitations.delete_ended(until)).await?;
        }
        deleted += until_none(|| ports.failures.delete_expired(now)).await?;
        Ok(deleted)
    }
}

/// Repeats a deletion of a bounded number until nothing is left; the total number.
async fn until_none<F: Future<Output = Result<usize, StoreError>>>(
    mut delete: impl FnMut() -> F,
) -> Result<usize, StoreError> {
    let mut deleted = 0;
    loop {
        match delete().await? {
            0 => return Ok(deleted),
            count => deleted += count,
        }
    }
}

/// Invitations that ended at this time or before are deleted at `now`.
fn forgotten(now: Timestamp) -> Option<Timestamp> {
    now.shifted(-i64::try_from(INVITATION_KEPT.as_millis()).ok()?)
}
