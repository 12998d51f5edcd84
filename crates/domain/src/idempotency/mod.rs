//! Requests that may be sent again: a request with an `Idempotency-Key` takes effect once.

mod port;

use crate::shared::{ids::Uuid, timestamp::Timestamp};

pub use port::IdempotencyKeys;
#[cfg(feature = "mock")]
pub use port::MockIdempotencyKeys;

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// One run of a request with an `Idempotency-Key`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyedRequest {
    /// The digest of the user and the key. The key itself is not stored.
    pub key: Digest,
    /// The digest of the method, the path with its query, and the body.
    pub fingerprint: Digest,
    /// A new id for each run. A change is stored only if its run still holds the key.
    pub run: Uuid,
    /// When the key may be used for another request.
    pub expires_at: Timestamp,
}

/// The state of an idempotency key when a request with it arrives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyState {
    /// The key was free. The run holds it now, and the request can be executed.
    Free,
    /// Another request has used the key, or is using it now.
    OtherRequest,
    /// The same request is running, or its response is about to be stored.
    InUse,
    /// The same request changed these records, in the order of the change. Its response was not
    /// stored, because the process ended before.
    Changed(Vec<Uuid>),
    /// The same request has a stored response: the bytes that [`IdempotencyKeys::keep`] got.
    Answered(Vec<u8>),
}
