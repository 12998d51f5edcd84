//! Users (interface 2.1, decisions 6).

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
    /// Whether a user takes part.
    UserStatus {
        /// Takes part.
        Active = "ACTIVE", 0;
        /// Does not; has no valid token.
        Inactive = "INACTIVE", 1;
    }
}

/// A user.
#[derive(Clone, PartialEq)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// First name.
    pub first_name: String,
    /// Middle name.
    pub middle_name: Option<String>,
    /// Last name.
    pub last_name: String,
    /// Employee number: case ignored, no other user has it as employee number or email address.
    pub employee_no: Option<String>,
    /// Employee PIN. Never logged.
    pub employee_pin: Option<String>,
    /// Email address: case ignored, no other user has it as email address or employee number.
    pub email: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// Language, a BCP 47 tag such as `en` or `pt-BR`.
    pub language: String,
    /// What it is to the company.
    pub role: Role,
    /// Whether it takes part.
    pub status: UserStatus,
    /// Its photo.
    pub photo_id: Option<MediaId>,
    /// The locations that it is linked to; none twice.
    pub location_ids: Vec<LocationId>,
    /// Tags; none twice.
    pub tags: Vec<String>,
    /// Whether it can sign in on the token site.
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

/// The id alone: a user has a PIN.
impl fmt::Debug for User {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "User({})", self.id)
    }
}
