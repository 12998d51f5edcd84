//! The full user record.

use patrol_application::may_see_pin;
use patrol_domain::{
    Named,
    access::Caller,
    ids::{LocationId, MediaId, UserId},
    user::User,
};
use patrol_json::write;
use serde::Serialize;

/// The full record. It has no `Debug`, because it contains a PIN.
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
    /// The record of a user for `caller`: employeePin is null when the caller may not see it.
    pub(crate) fn new(user: &'a User, caller: Caller) -> Self {
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
            employee_pin: employee_pin.as_deref().filter(|_| may_see_pin(caller, user)),
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

#[cfg(test)]
mod tests {
    use patrol_domain::{access::Role, ids::Uuid};

    use super::*;
    use crate::user::tests::store::own;

    #[test]
    fn a_pin_is_shown_to_whom_it_may_be_shown() {
        const OTHER: u128 = 99;
        for (caller, is_own, of, shown) in [
            (Role::Admin, false, Role::Admin, true),
            (Role::Admin, false, Role::Employee, true),
            (Role::Manager, false, Role::Admin, false),
            (Role::Manager, false, Role::Manager, true),
            (Role::Manager, true, Role::Manager, true),
            (Role::Manager, false, Role::Employee, true),
            (Role::Employee, false, Role::Admin, false),
            (Role::Employee, false, Role::Employee, false),
            (Role::Employee, true, Role::Employee, true),
        ] {
            let user = User { role: of, employee_pin: Some("0042".to_owned()), ..own() };
            let id = if is_own { user.id } else { UserId(Uuid::from_u128(OTHER)) };
            let record = UserRecord::new(&user, Caller { user: id, role: caller });
            assert_eq!(record.employee_pin.is_some(), shown, "{caller:?} {is_own} {of:?}");
        }
    }
}
