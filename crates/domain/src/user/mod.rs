//! Users: guards, managers and administrators.

mod batch;
mod change;
mod draft;
mod identity;
mod list;
mod names;
mod patch;
mod port;

pub use batch::{BatchEntry, MAX_BATCH_USERS, UserBatch};
pub use draft::UserDraft;
pub use identity::{Identity, identify};
pub use list::{UserFilter, UserList, UserQuery, UserSort};
pub use patch::UserPatch;
#[cfg(feature = "mock")]
pub use port::MockUsers;
pub use port::{BatchChange, BatchEdit, Removal, RemovalCheck, Users};

use std::fmt;

use crate::{
    access::Role,
    shared::{
        existing::Existing,
        fault::Refusal,
        ids::{LocationId, MediaId, UserId},
        named::named,
        text::{self, fold},
    },
};

named! {
    /// Whether a user can use the service.
    UserStatus {
        /// Can use the service with a valid token, JWT or session.
        Active = "ACTIVE", 0;
        /// Cannot use the service: every token, JWT and session of the user is invalid.
        Inactive = "INACTIVE", 1;
    }
}

/// A user of the service: a guard, a manager or an administrator.
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
    /// The employee number. Unique among the employee numbers and email addresses of all users,
    /// ignoring case.
    pub employee_no: Option<String>,
    /// The personal identification number. Never logged.
    pub employee_pin: Option<String>,
    /// The email address. Unique among the employee numbers and email addresses of all users,
    /// ignoring case.
    pub email: Option<String>,
    /// At most 255 characters by default; the form is not checked.
    pub phone: Option<String>,
    /// A BCP 47 tag such as `en` or `pt-BR`.
    pub language: String,
    /// Determines the permissions of the user.
    pub role: Role,
    /// Only the tokens, JWTs and sessions of ACTIVE users are valid.
    pub status: UserStatus,
    /// The photo; every upload gets a new id.
    pub photo_id: Option<MediaId>,
    /// The locations linked to the user, without duplicates.
    pub location_ids: Vec<LocationId>,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
    /// Whether the user has a password for the site.
    pub linked: bool,
}

/// First, middle and last name, joined by one blank; an absent or empty middle name is left out.
#[must_use]
pub fn full_name(first: &str, middle: Option<&str>, last: &str) -> String {
    let middle = middle.filter(|name| !name.is_empty());
    [Some(first), middle, Some(last)].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

impl User {
    /// An ACTIVE user with only the required members.
    pub fn new(
        id: UserId,
        first_name: impl Into<String>,
        last_name: impl Into<String>,
        language: impl Into<String>,
        role: Role,
    ) -> Self {
        Self {
            id,
            first_name: first_name.into(),
            middle_name: None,
            last_name: last_name.into(),
            employee_no: None,
            employee_pin: None,
            email: None,
            phone: None,
            language: language.into(),
            role,
            status: UserStatus::Active,
            photo_id: None,
            location_ids: Vec::new(),
            tags: Vec::new(),
            linked: false,
        }
    }

    /// First, middle and last name, joined by one blank; an absent or empty middle name is left out.
    #[must_use]
    pub fn full_name(&self) -> String {
        full_name(&self.first_name, self.middle_name.as_deref(), &self.last_name)
    }

    /// The approximate memory of its texts and lists, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        let Self {
            id: _,
            first_name,
            middle_name,
            last_name,
            employee_no,
            employee_pin,
            email,
            phone,
            language,
            role: _,
            status: _,
            photo_id: _,
            location_ids,
            tags,
            linked: _,
        } = self;
        let optional = [middle_name, employee_no, employee_pin, email, phone];
        let texts = [first_name, last_name, language].into_iter();
        texts.chain(optional.into_iter().flatten()).map(String::len).sum::<usize>()
            + size_of_val(location_ids.as_slice())
            + text::bytes(tags)
    }

    /// Whether the change from this user to `after` ends the sessions of the user, so that no session
    /// outlives the rights that it began with.
    #[must_use]
    pub fn ends_sessions(&self, after: &Self) -> bool {
        self.role != after.role || self.status != after.status
    }

    /// Checks that the user may be deleted: at least one active administrator has to remain.
    /// `existing` has the active administrators.
    ///
    /// # Errors
    /// `State`.
    pub fn check_removal(&self, existing: &Existing) -> Result<(), Refusal> {
        if is_active_admin(self.role, self.status)
            && existing.active_admins.iter().all(|admin| *admin == self.id)
        {
            return Err(Refusal::State("role".to_owned()));
        }
        Ok(())
    }

    /// Whether `folded` is the employee number or the email address of the user, in the form of
    /// [`fold`].
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

/// Whether a user with this role and status counts as an active administrator.
fn is_active_admin(role: Role, status: UserStatus) -> bool {
    role == Role::Admin && status == UserStatus::Active
}
