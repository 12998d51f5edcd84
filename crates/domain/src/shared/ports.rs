//! What the domain asks of the machine it runs on.

use async_trait::async_trait;
use uuid::Uuid;

use super::{error::StoreError, timestamp::Timestamp};

/// Tells the time.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// Gives new ids.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Ids: Send + Sync {
    /// A new UUID version 7: ids of one process sort in the order of their creation (decisions 1).
    fn next(&self) -> Uuid;
}

/// Tells whether a store can be used.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Readiness: Send + Sync {
    /// Asks the store for something small.
    ///
    /// # Errors
    /// When the store cannot answer.
    async fn ping(&self) -> Result<(), StoreError>;
}
