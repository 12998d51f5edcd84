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
    },
    task_execution::Edit,
};

/// Computes the changed users, in the order in which they were named; `None` for a user that does
/// not change. Pure, because a store may call it more than once.
pub type BatchChange =
    Box<dyn Fn(&[User], &Existing) -> Result<Vec<Option<User>>, Refusal> + Send + Sync + 'static>;

/// A store of users. Every method is one transaction. Employee numbers and email addresses together
/// are unique: a change MUST see every user who has a name that it assigns, ignoring case, also
/// under concurrent changes on any node.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Users: Send + Sync {
    /// The user, or `None` when it does not exist.
    async fn get(&self, id: UserId) -> Result<Option<User>, StoreError>;

    /// The users with this employee number or email address, ignoring case, in order of id. More
    /// than one only in data stored before numbers and addresses had to differ.
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError>;

    /// Loads the user, calls the change and stores the result. Changes of users are serialised.
    /// Never changes the photo or the password.
    ///
    /// # Errors
    /// `Missing` when there is no such user, `Refused` with the refusal of the change.
    async fn update(&self, id: UserId, edit: Edit<User>, by: Origin) -> Result<User, EditError>;

    /// Loads the users `ids` (no duplicates), calls the change and stores the results, all or none.
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
