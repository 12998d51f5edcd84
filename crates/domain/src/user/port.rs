//! What the program asks of a store of users.

use async_trait::async_trait;

use super::User;
use crate::{
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::UserId,
    },
    task_execution::Edit,
};

/// What users become, given in the order in which they were named; none for one that stays as it
/// is. Pure and repeatable.
pub type BatchChange =
    Box<dyn Fn(&[User], &Existing) -> Result<Vec<Option<User>>, Refusal> + Send + Sync + 'static>;

/// A store of users. Every method is one transaction. Employee numbers and email addresses share one
/// space of names: a change MUST see every user that has a name which it gives to another, case
/// ignored, whatever changes at the same moment on any node.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Users: Send + Sync {
    /// The user, or none.
    async fn get(&self, id: UserId) -> Result<Option<User>, StoreError>;

    /// The users with this employee number or this email address, case ignored, by id. More than one
    /// only when they were stored before the two shared one space of names.
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError>;

    /// Loads the user, calls the change and stores what it returns; changes of users wait for each
    /// other. A photo or a password is not changed by it.
    ///
    /// # Errors
    /// `Missing` when there is none, `Refused` with what the change says.
    async fn update(&self, id: UserId, edit: Edit<User>) -> Result<User, EditError>;

    /// Loads the users `ids` (none twice), calls the change and stores what it returns, all or
    /// none. Returns the users as they are now, in the order of `ids`; or, having changed
    /// nothing, the places of the ids that do not exist.
    ///
    /// # Errors
    /// `Refused` with what the change says.
    async fn update_batch(
        &self,
        ids: Vec<UserId>,
        names: References,
        change: BatchChange,
    ) -> Result<Result<Vec<User>, Vec<usize>>, EditError>;
}
