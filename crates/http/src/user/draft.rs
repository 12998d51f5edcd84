//! The body of POST.

use patrol_application::{Actor, permit_members};
use patrol_domain::{ids::Uuid, user::UserDraft};
use patrol_json::{document::Json, fields::Fields};
use patrol_record::value::{Id, Language, Role, Tags, UserStatus};

use super::patch::Locations;
use crate::{
    route::JsonObject,
    schema::{Email, Name, OptionalName, OptionalText, Text, body},
};

body! {
    /// A new user. Members that are absent or null get their defaults.
    UserPost {
        /// A new id; Patrol makes one when absent.
        id: Option<Id>,
        first_name: Name,
        middle_name: Option<OptionalName>,
        last_name: Name,
        /// Unique, case ignored.
        employee_no: Option<Text>,
        employee_pin: Option<OptionalText>,
        /// Unique, case ignored.
        email: Option<Email>,
        phone: Option<OptionalText>,
        /// `en` when absent.
        language: Option<Language<'static>>,
        role: Role,
        /// `ACTIVE` when absent.
        status: Option<UserStatus>,
        /// Duplicate ids are dropped.
        location_ids: Option<Locations>,
        tags: Option<Tags>,
    }
}

impl JsonObject for UserDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
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

    fn is_allowed(caller: Actor, _: Option<Uuid>, body: &Json<'_>) -> bool {
        let role = match body.member("role") {
            Some(Json::Text(role)) => Some(role.as_ref()),
            _ => None,
        };
        permit_members(caller, None, &[], role).is_ok()
    }
}
