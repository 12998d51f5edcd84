//! Users: guards, managers and administrators.

mod batch;
mod change;
mod draft;
mod identity;
mod patch;
mod port;

pub use batch::{BatchEntry, MOST_USERS, UserBatch};
pub use draft::UserDraft;
pub use identity::{Identity, identify};
pub use patch::UserPatch;
#[cfg(feature = "mock")]
pub use port::MockUsers;
pub use port::{BatchChange, Users};

use std::fmt;

use crate::{
    access::Role,
    shared::{
        ids::{LocationId, MediaId, UserId},
        named::named,
        text::fold,
    },
};

named! {
    /// Whether a user can use the service.
    UserStatus {
        /// Can use the service with a valid token.
        Active = "ACTIVE", 0;
        /// Has no valid token.
        Inactive = "INACTIVE", 1;
    }
}

/// A person who uses the service.
#[derive(Clone, PartialEq)]
pub struct User {
    /// Unique among users; never changes.
    pub id: UserId,
    /// 1 to 255 characters by default.
    pub first_name: String,
    /// At most 255 characters by default.
    pub middle_name: Option<String>,
    /// 1 to 255 characters by default.
    pub last_name: String,
    /// Employee number. Ignoring case, no other user has it as employee number or email address.
    pub employee_no: Option<String>,
    /// Personal identification number. Never logged.
    pub employee_pin: Option<String>,
    /// Email address. Ignoring case, no other user has it as email address or employee number.
    pub email: Option<String>,
    /// At most 255 characters by default; the form is not checked.
    pub phone: Option<String>,
    /// A BCP 47 tag such as `en` or `pt-BR`.
    pub language: String,
    /// Decides what the user may do.
    pub role: Role,
    /// Only ACTIVE users have valid tokens.
    pub status: UserStatus,
    /// The photo; a new id with every upload.
    pub photo_id: Option<MediaId>,
    /// The locations linked to the user, without duplicates.
    pub location_ids: Vec<LocationId>,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
    /// Whether the user has a password for the token site.
    pub linked: bool,
}

impl User {
    /// Whether the user has this employee number or email address, given in folded form.
    #[must_use]
    pub fn has_name(&self, folded: &str) -> bool {
        let names = [&self.employee_no, &self.email].into_iter().flatten();
        names.map(|name| fold(name)).any(|name| name == folded)
    }
}

/// Prints the id only, so that the PIN cannot reach a log.
impl fmt::Debug for User {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "User({})", self.id)
    }
}
