//! Failed sign-ins.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError, Timestamp,
    sign_in::{Attempt, Failures, SignInFailures},
};

use crate::{
    Connection, Dialect, Engine, Repository,
    stored::{Abort, sign_in},
};

#[async_trait]
impl<S: Engine> SignInFailures for Repository<S> {
    async fn retry_after(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.0.read(attempt, |conn, attempt| retry_after(conn, attempt).boxed()).await
    }

    async fn add(&self, attempt: Attempt) -> Result<Option<Duration>, StoreError> {
        self.0.write(None, attempt, |conn, attempt| add_failure(conn, attempt).boxed()).await
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.execute(now, |now| sign_in::delete_failures(*now)).await
    }
}

async fn retry_after(
    conn: &impl Connection,
    attempt: &Attempt,
) -> Result<Option<Duration>, Abort<StoreError>> {
    Ok(attempt.retry_after(&failures(conn, attempt).await?))
}

async fn add_failure(
    conn: &impl Dialect,
    attempt: &Attempt,
) -> Result<Option<Duration>, Abort<StoreError>> {
    conn.lock_failures(attempt).await?;
    let before = failures(conn, attempt).await?;
    if let Some(wait) = attempt.retry_after(&before) {
        return Ok(Some(wait));
    }
    let Failures { name, address } = attempt.failed(&before);
    for (counter, times) in [(attempt.name, name), (attempt.address, address)] {
        conn.execute(sign_in::store_failures(counter, &times, attempt.at)).await?;
    }
    Ok(None)
}

/// The failures that are stored for an attempt.
pub(super) async fn failures<E>(
    conn: &impl Connection,
    attempt: &Attempt,
) -> Result<Failures, Abort<E>> {
    let mut failures = Failures::default();
    for (counter, times) in
        [(attempt.name, &mut failures.name), (attempt.address, &mut failures.address)]
    {
        let stored: Option<Vec<u8>> = conn.first(sign_in::failures(&counter.0)).await?;
        *times = sign_in::read_failures(stored.as_deref());
    }
    Ok(failures)
}
