//! Users.

use patrol_domain::{
    Named,
    ids::{LocationId, MediaId, UserId},
    user::User,
};
use patrol_json::write;
use serde::Serialize;

/// The full record. It has no `Debug`, because it contains a PIN.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: UserId,
    first_name: &'a str,
    middle_name: Option<&'a str>,
    last_name: &'a str,
    employee_no: Option<&'a str>,
    employee_pin: Option<&'a str>,
    email: Option<&'a str>,
    phone: Option<&'a str>,
    language: &'a str,
    role: &'static str,
    status: &'static str,
    #[serde(serialize_with = "write::id_or_null")]
    photo_id: Option<MediaId>,
    #[serde(serialize_with = "write::ids")]
    location_ids: &'a [LocationId],
    tags: &'a [String],
    user_linked: bool,
}

impl<'a> UserRecord<'a> {
    /// The record of a user. Without `shows_pin` its employeePin is null.
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
            id: *id,
            first_name,
            middle_name: middle_name.as_deref(),
            last_name,
            employee_no: employee_no.as_deref(),
            employee_pin: employee_pin.as_deref().filter(|_| shows_pin),
            email: email.as_deref(),
            phone: phone.as_deref(),
            language,
            role: role.name(),
            status: status.name(),
            photo_id: *photo_id,
            location_ids,
            tags,
            user_linked: *linked,
        }
    }
}
