//! Users as lines.

use patrol_domain::{
    Faults, Path, Rules,
    access::{Passwords, Role},
    data_set::Record,
    ids::{LocationId, MediaId, UserId},
    shared::check,
    user::{User, UserDraft, UserStatus},
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::messages;

/// A user with its plain password, if any. Has no `Debug`, so that the password cannot be logged.
pub(crate) struct Drafted {
    draft: UserDraft,
    photo_id: Option<MediaId>,
    password: Option<String>,
}

pub(crate) fn read(fields: &mut Fields<'_>) -> Drafted {
    let mut draft = UserDraft {
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
    };
    let photo_id = fields.uuid("photoId");
    let password = fields.text("password");
    draft.linked = password.is_some();
    Drafted { draft, photo_id, password }
}

/// The record of a user. The password is hashed only when everything else is valid, because hashing
/// is slow.
pub(crate) fn record(
    drafted: Drafted,
    rules: &Rules,
    passwords: &dyn Passwords,
) -> Result<Record, Vec<String>> {
    let Drafted { draft, photo_id, password } = drafted;
    let mut faults = Faults::new();
    if let Some(password) = &password {
        let path = Path::Root.field("password");
        check::text(&mut faults, &path, password, 1, rules.limits.text);
    }
    let bad_password = messages::of_rules(&faults.into_vec());
    let user = match messages::accepted(draft.check(rules)) {
        Ok(user) if bad_password.is_empty() => Box::new(User { photo_id, ..user }),
        Ok(_) => return Err(bad_password),
        Err(faults) => return Err([faults, bad_password].concat()),
    };
    let password_hash = password.map(|password| passwords.hash(&password)).transpose();
    let password_hash = password_hash.map_err(|cause| {
        vec![messages::about("password", &format!("cannot be hashed: {cause}"))]
    })?;
    Ok(Record::User { user, password_hash })
}

/// A user as a line, without the photo file, the password, and whether there is one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
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
    #[serde(serialize_with = "write::name")]
    role: Role,
    #[serde(serialize_with = "write::name")]
    status: UserStatus,
    #[serde(serialize_with = "write::id_or_null")]
    photo_id: Option<MediaId>,
    #[serde(serialize_with = "write::ids")]
    location_ids: &'a [LocationId],
    tags: &'a [String],
}

impl<'a> From<&'a User> for Row<'a> {
    fn from(user: &'a User) -> Self {
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
            linked: _,
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
            role: *role,
            status: *status,
            photo_id: *photo_id,
            location_ids,
            tags,
        }
    }
}
