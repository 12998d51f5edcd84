//! The body of POST.

use patrol_application::{Actor, permit_members};
use patrol_domain::{ids::Uuid, user::UserDraft};
use patrol_record::{
    json::{document::Json, fields::Fields},
    read_user,
    value::{Id, Language, Role, Tags, UserStatus},
};

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
        read_user(fields)
    }

    fn is_allowed(caller: Actor, _: Option<Uuid>, body: &Json<'_>) -> bool {
        let role = match body.member("role") {
            Some(Json::Text(role)) => Some(role.as_ref()),
            _ => None,
        };
        permit_members(caller, None, &[], role).is_ok()
    }
}
