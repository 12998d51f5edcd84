//! What the program asks of a store of users.

use async_trait::async_trait;

use super::User;
use crate::shared::{error::StoreError, ids::UserId};

/// A store of users.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Users: Send + Sync {
    /// The user, or none.
    async fn get(&self, id: UserId) -> Result<Option<User>, StoreError>;

    /// The user with this employee number, else the one with this email address, case ignored.
    async fn find(&self, employee_no_or_email: &str) -> Result<Option<User>, StoreError>;
}
