//! The bodies of PATCH and of the batch, and their permissions.

use patrol_application::{Actor, permit_members};
use patrol_domain::{
    ids::{UserId, Uuid},
    user::{BatchEntry, MAX_BATCH_USERS, UserPatch},
};
use patrol_record::{
    json::{document::Json, fields::Fields},
    read_user_patch,
    value::{Id, Language, Role, Tags, UserStatus},
};

use crate::{
    route::{Batched, JsonObject},
    schema::{Email, Name, OptionalName, OptionalText, Text, body, inline_schema, json_schema},
};

body! {
    patch
    /// The members to change. Absent members are unchanged.
    #[schema(as = UserPatch)]
    UserMembers {
        first_name: Name,
        middle_name: Option<OptionalName>,
        last_name: Name,
        /// Unique, case ignored.
        employee_no: Option<Text>,
        employee_pin: Option<OptionalText>,
        /// Unique, case ignored.
        email: Option<Email>,
        phone: Option<OptionalText>,
        language: Language<'static>,
        role: Role,
        status: UserStatus,
        /// Duplicate ids are dropped.
        location_ids: Locations,
        tags: Tags,
    }
}

body! {
    /// A user, and the members to change. Absent members are unchanged.
    UserBatchEntry {
        id: Id,
        #[serde(flatten)]
        patch: UserMembers,
    }
}

json_schema! {
    /// Users and their changes.
    UserBatch = {"maxItems": MAX_BATCH_USERS, "description": "No user twice."} of UserBatchEntry;
}

inline_schema! {
    /// The locations of a user.
    Locations = {"maxItems": "{limit_locations}"} of Id;
}

impl JsonObject for UserPatch {
    fn read(fields: &mut Fields<'_>) -> Self {
        read_user_patch(fields)
    }

    fn is_allowed(caller: Actor, id: Option<Uuid>, body: &Json<'_>) -> bool {
        may_send(caller, id.map(UserId), body)
    }
}

impl JsonObject for BatchEntry {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self { id: fields.uuid("id"), patch: UserPatch::read(fields) }
    }

    fn is_allowed(caller: Actor, _: Option<Uuid>, entry: &Json<'_>) -> bool {
        may_send(caller, None, entry)
    }
}

impl Batched for BatchEntry {
    const MAX: usize = MAX_BATCH_USERS;
}

/// Whether the caller may send these members for this user; `None`: in a batch.
fn may_send(actor: Actor, user: Option<UserId>, body: &Json<'_>) -> bool {
    let members = UserPatch::names().filter(|name| body.member(name).is_some());
    let role = match body.member("role") {
        Some(Json::Text(role)) => Some(role.as_ref()),
        _ => None,
    };
    permit_members(actor, user, &members.collect::<Vec<_>>(), role).is_ok()
}
