//! The port of users.

use async_trait::async_trait;

use super::User;
use crate::{
    event::Origin,
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::UserId,
        records::{Get, Identified, Update},
    },
};

/// Computes the changed users from the users before the change, in the same order; `None` for a user
/// that does not change. Pure, because a store may call the function more than once.
pub type BatchChange =
    Box<dyn Fn(&[User], &Existing) -> Result<Vec<Option<User>>, Refusal> + Send + Sync + 'static>;

impl Identified for User {
    type Id = UserId;
}

/// A store of users. Every method is one transaction. A text may be the employee number or the email
/// address of one user only, ignoring case. A change that assigns one MUST see every user who has it,
/// also under concurrent changes on any node. Changes of users run one after another. No change of this
/// port may change the photo or the password.
#[async_trait]
pub trait Users: Get<User> + Update<User> {
    /// The users with this employee number or email address, ignoring case, in order of id. More
    /// than one only in data that was stored before the rule above existed.
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError>;

    /// Loads the users `ids` (no duplicates), calls the change and stores all results or none.
    /// Returns the users after the change, in the order of `ids`. When some do not exist, changes
    /// nothing and returns their positions in `ids`.
    ///
    /// # Errors
    /// `Refused` with the refusal of the change.
    async fn update_batch(
        &self,
        ids: Vec<UserId>,
        names: References,
        change: BatchChange,
        by: Origin,
    ) -> Result<Result<Vec<User>, Vec<usize>>, EditError>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Users: Get<User> Update<User> {
        async fn find(employee_no_or_email: &str) -> [Result<Vec<User>, StoreError>];
        async fn update_batch(
            ids: Vec<UserId>,
            names: References,
            change: BatchChange,
            by: Origin
        ) -> [Result<Result<Vec<User>, Vec<usize>>, EditError>];
    }
}
