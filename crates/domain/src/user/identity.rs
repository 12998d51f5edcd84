//! Finds a user by id, employee number or email address.

use super::{User, Users};
use crate::shared::{
    error::StoreError,
    ids::{UserId, parse},
};

/// The result of [`identify`].
#[derive(Clone, PartialEq, Debug)]
pub enum Identity {
    /// No user has the text as id, employee number or email address.
    Unknown,
    /// Exactly one user has the text.
    User(Box<User>),
    /// Several users have the text: one as employee number, another as email address. Only in data
    /// of an older version, which did not refuse this.
    Ambiguous(Vec<UserId>),
}

/// Finds the user with this id; if there is none, the user with this employee number or email
/// address, ignoring case.
///
/// # Errors
/// When the store fails.
pub async fn identify(users: &dyn Users, text: &str) -> Result<Identity, StoreError> {
    if let Some(id) = parse(text)
        && let Some(found) = users.get(UserId(id)).await?
    {
        return Ok(Identity::User(Box::new(found.record)));
    }
    let mut found = users.find(text).await?;
    Ok(match (found.pop(), found.is_empty()) {
        (None, _) => Identity::Unknown,
        (Some(user), true) => Identity::User(Box::new(user)),
        (Some(last), false) => {
            Identity::Ambiguous(found.iter().chain([&last]).map(|user| user.id).collect())
        }
    })
}
