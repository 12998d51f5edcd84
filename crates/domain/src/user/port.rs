//! The port of users.

use async_trait::async_trait;

use super::{User, UserList};
use crate::{
    event::Origin,
    shared::{
        edit::{Known, Target},
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        identified::Identified,
        ids::UserId,
        records::{Create, Get, List, Update},
    },
};

/// Computes the changed users from the users before the change, in the same order; `None` for a user
/// that does not change. Pure, because a store may call the function more than once.
pub type BatchChange =
    Box<dyn Fn(&[User], &Existing) -> Result<Vec<Option<User>>, Refusal> + Send + Sync + 'static>;

/// A change of several users.
pub struct BatchEdit {
    /// The users, without duplicates.
    pub ids: Vec<UserId>,
    /// The records and values that the store looks up first.
    pub references: References,
    /// Computes the changed users.
    pub change: BatchChange,
}

/// Checks that a user may be deleted. Its arguments are the user and the active administrators. Pure,
/// because a store may call the function more than once.
pub type RemovalCheck =
    Box<dyn Fn(&User, &Existing) -> Result<(), Refusal> + Send + Sync + 'static>;

/// The removal of a user.
pub struct Removal {
    /// The user.
    pub at: Target<User>,
    /// Decides whether it may be removed.
    pub check: RemovalCheck,
}

impl Identified for User {
    type Id = UserId;
    const HAS_VERSIONS: bool = true;
}

/// A store of users. Every method is one transaction. A text may be the employee number or the
/// email address of one user only, ignoring case. A change that assigns such a text MUST see every
/// user who has it, also under concurrent changes on any node. Changes of users run one after
/// another. No change of this port may change the photo or the password.
#[async_trait]
pub trait Users: Get<User> + Create<User> + Update<User> + List<UserList> {
    /// The users with this employee number or email address, ignoring case, in order of id. More
    /// than one user only in data of an older version, which did not have the rule above.
    async fn find(&self, employee_no_or_email: &str) -> Result<Vec<User>, StoreError>;

    /// Loads the users, calls the change and stores all results or none. Returns the users after the
    /// change, in the order of `edit.ids`. When some do not exist, changes nothing.
    ///
    /// # Errors
    /// `Refused` with the refusal of the change.
    async fn update_batch(
        &self,
        edit: BatchEdit,
        by: Origin,
    ) -> Result<Known<Vec<User>>, EditError>;

    /// Deletes the user with its tokens, password, sessions and invitations. Removes the user from the
    /// assignees of all scheduled tasks and of PENDING executions, which get their next version. Other
    /// records that refer to the user keep its id. Announces the photo and marks it for removal. Each
    /// deleted token, changed task and changed execution has an event.
    ///
    /// # Errors
    /// `Missing` when the user does not exist, `Stale` when it has another version than the expected
    /// one, `Refused` with the refusal of the check.
    async fn remove(&self, removal: Removal, by: Origin) -> Result<(), EditError>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Users: Get<User> Create<User> Update<User> List<UserList> {
        async fn find(employee_no_or_email: &str) -> [Result<Vec<User>, StoreError>];
        async fn update_batch(edit: BatchEdit, by: Origin) -> [Result<Known<Vec<User>>, EditError>];
        async fn remove(removal: Removal, by: Origin) -> [Result<(), EditError>];
    }
}
