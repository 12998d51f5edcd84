//! Users.

use patrol_domain::{
    ids::LocationId,
    sign_in::Account,
    user::{User, UserDraft, UserPatch},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    json::{fields::Fields, write},
    value::{Id, Language, Role, Tags, UserStatus},
};

/// A user.
// No `Debug`, so that the PIN cannot reach a log.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = User)]
pub struct UserRecord<'a> {
    id: Id,
    first_name: &'a str,
    middle_name: Option<&'a str>,
    last_name: &'a str,
    employee_no: Option<&'a str>,
    /// The personal identification number. Always null when an EMPLOYEE reads another user, and when
    /// a MANAGER reads an administrator.
    employee_pin: Option<&'a str>,
    email: Option<&'a str>,
    phone: Option<&'a str>,
    language: Language<'a>,
    role: Role,
    status: UserStatus,
    /// The photo; every upload gets a new id.
    photo_id: Option<Id>,
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    location_ids: &'a [LocationId],
    #[schema(value_type = Tags)]
    tags: &'a [String],
    /// Whether the user has a password for the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = bool, required = true)]
    user_linked: Option<bool>,
}

impl<'a> UserRecord<'a> {
    /// The record of a user. `employeePin` is null unless `shows_pin`.
    #[must_use]
    pub fn new(user: &'a User, shows_pin: bool) -> Self {
        let User {
            id,
            first_name,
            middle_name,
            last_name,
            employee_no,
            employee_pin,
            email,
            phone,
            language,
            role,
            status,
            photo_id,
            location_ids,
            tags,
            linked,
        } = user;
        Self {
            id: Id::of(*id),
            first_name,
            middle_name: middle_name.as_deref(),
            last_name,
            employee_no: employee_no.as_deref(),
            employee_pin: employee_pin.as_deref().filter(|_| shows_pin),
            email: email.as_deref(),
            phone: phone.as_deref(),
            language: Language(language),
            role: Role(*role),
            status: UserStatus(*status),
            photo_id: photo_id.map(Id::of),
            location_ids,
            tags,
            user_linked: Some(*linked),
        }
    }

    /// The record of a line of the data set, without userLinked.
    #[must_use]
    pub fn line(user: &'a User) -> Self {
        Self { user_linked: None, ..Self::new(user, true) }
    }
}

/// Reads the members of a new user.
pub fn read_user(fields: &mut Fields<'_>) -> UserDraft {
    UserDraft {
        id: fields.uuid("id"),
        first_name: fields.text("firstName"),
        middle_name: fields.text("middleName"),
        last_name: fields.text("lastName"),
        employee_no: fields.text("employeeNo"),
        employee_pin: fields.text("employeePin"),
        email: fields.text("email"),
        phone: fields.text("phone"),
        language: fields.text("language"),
        role: fields.text("role"),
        status: fields.text("status"),
        location_ids: fields.uuids("locationIds").unwrap_or_default(),
        tags: fields.texts("tags").unwrap_or_default(),
        linked: false,
    }
}

/// Reads the members of a user that a PATCH changes.
pub fn read_user_patch(fields: &mut Fields<'_>) -> UserPatch {
    UserPatch {
        first_name: fields.patch_text("firstName"),
        middle_name: fields.patch_text("middleName"),
        last_name: fields.patch_text("lastName"),
        employee_no: fields.patch_text("employeeNo"),
        employee_pin: fields.patch_text("employeePin"),
        email: fields.patch_text("email"),
        phone: fields.patch_text("phone"),
        language: fields.patch_text("language"),
        role: fields.patch_text("role"),
        status: fields.patch_text("status"),
        location_ids: fields.patch_uuids("locationIds"),
        tags: fields.patch_texts("tags"),
    }
}

/// The members of a user that a change of its password changes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountRecord<'a> {
    /// The hash, which events do not show.
    password: Option<&'a str>,
    user_linked: bool,
}

impl<'a> AccountRecord<'a> {
    /// The record of an account.
    #[must_use]
    pub fn new(account: &'a Account) -> Self {
        let Account { user, hash } = account;
        Self { password: hash.as_deref(), user_linked: user.linked }
    }
}
