//! The port of idempotency keys.

use std::time::Duration;

use async_trait::async_trait;

use super::{KeyState, KeyedRequest};
use crate::shared::{error::StoreError, timestamp::Timestamp};

/// The idempotency keys of all users.
///
/// A change whose [`Origin`](crate::event::Origin) has a keyed request MUST store, in its transaction,
/// which records the request changed. If another run holds the key by then, the change MUST fail with
/// `Superseded` and store nothing. So of all runs with the same key, on any nodes, at most one
/// changes something.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait IdempotencyKeys: Send + Sync {
    /// Looks the key up. When it is free, the run holds it for `hold`. During this time, other runs
    /// of the same request get `InUse`, and other requests get `OtherRequest`. A key is free when
    /// it is unknown, when it has expired at `now`, or when its run no longer holds it and has
    /// neither changed a record nor stored an answer.
    ///
    /// # Errors
    /// When the store fails.
    async fn begin(
        &self,
        request: KeyedRequest,
        hold: Duration,
        now: Timestamp,
    ) -> Result<KeyState, StoreError>;

    /// Makes the run hold its key for `hold` from now; zero releases the key. Does nothing when
    /// another run has the key.
    ///
    /// # Errors
    /// When the store fails.
    async fn hold(&self, request: KeyedRequest, hold: Duration) -> Result<(), StoreError>;

    /// Stores the answer of the run. Once this method has returned, the same request gets this
    /// answer on all nodes. The answer is on disk soon after. Does nothing when another run has the
    /// key.
    ///
    /// # Errors
    /// When the store fails.
    async fn keep(
        &self,
        request: KeyedRequest,
        answer: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Deletes keys that have expired at `now`, and returns their number. One call deletes a bounded
    /// number of keys; 0 means that all of them are deleted.
    ///
    /// # Errors
    /// When the store fails.
    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError>;
}
