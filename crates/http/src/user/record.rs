//! The full user record (interface 2.1).

use patrol_domain::{
    Named,
    ids::{LocationId, MediaId, UserId},
    user::User,
};
use patrol_json::write;
use serde::Serialize;

/// The full record. It holds a PIN, so that it cannot be printed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserRecord<'a> {
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
    /// The record of a user.
    pub(crate) fn new(user: &'a User) -> Self {
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
            employee_pin: employee_pin.as_deref(),
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
