//! The bodies of PATCH and of the batch, and their permissions.

use patrol_application::{Actor, permit_members};
use patrol_domain::{
    ids::UserId,
    user::{BatchEntry, UserPatch},
};
use patrol_json::{document::Json, fields::Fields};

use crate::route::Call;

/// The members of a PATCH, which [`read`] reads.
const LISTED: [&str; 12] = [
    "firstName",
    "middleName",
    "lastName",
    "employeeNo",
    "employeePin",
    "email",
    "phone",
    "language",
    "role",
    "status",
    "locationIds",
    "tags",
];

/// Reads the body of a PATCH.
pub(super) fn read(fields: &mut Fields<'_>) -> UserPatch {
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

/// Reads an entry of a batch.
pub(super) fn read_entry(fields: &mut Fields<'_>) -> BatchEntry {
    BatchEntry { id: fields.uuid("id"), patch: read(fields) }
}

/// Whether the caller may send this PATCH.
pub(super) fn is_allowed(call: &Call, body: &Json<'_>) -> bool {
    may_send(call.actor(), Some(call.id()), body)
}

/// Whether the caller may send every entry of this batch.
pub(super) fn is_allowed_in_all(call: &Call, body: &Json<'_>) -> bool {
    match body {
        Json::List(entries) => entries.iter().all(|entry| may_send(call.actor(), None, entry)),
        _ => true,
    }
}

fn may_send(actor: Actor, user: Option<UserId>, body: &Json<'_>) -> bool {
    let listed = LISTED.into_iter().filter(|member| body.member(member).is_some());
    let role = match body.member("role") {
        Some(Json::Text(role)) => Some(role.as_ref()),
        _ => None,
    };
    permit_members(actor, user, &listed.collect::<Vec<_>>(), role).is_ok()
}
