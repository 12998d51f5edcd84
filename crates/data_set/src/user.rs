//! Users as lines of the data set.

use patrol_domain::{
    access::Role,
    data_set::NewUser,
    ids::{LocationId, MediaId, UserId},
    sign_in::{Password, PasswordFault},
    user::{User, UserDraft, UserStatus},
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

/// The members of a line. No `Debug`, so that the password cannot be logged.
pub(crate) struct UserLine {
    draft: UserDraft,
    photo_id: Option<MediaId>,
    password: Option<String>,
}

impl Line for NewUser {
    type Draft = UserLine;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> UserLine {
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
        UserLine { draft, photo_id, password }
    }

    /// Hashing is slow, so the password is hashed only when all members are valid.
    fn check(line: UserLine, context: &Context<'_>) -> Result<Self, Vec<String>> {
        let UserLine { draft, photo_id, password } = line;
        let of_password = |fault: PasswordFault| messages::of_field("password", &fault.to_string());
        let user = match messages::checked(draft.check(None, context.rules)) {
            Ok(user) => User { photo_id, ..user },
            // Without a valid user only the length can be checked.
            Err(mut faults) => {
                let checked = password.as_deref().map(Password::check_length);
                faults.extend(checked.and_then(Result::err).map(of_password));
                return Err(faults);
            }
        };
        if let Some(password) = &password {
            Password::parse(password, &user).map_err(|fault| vec![of_password(fault)])?;
        }
        let password_hash = password.map(|password| context.passwords.hash(&password)).transpose();
        let password_hash = password_hash.map_err(|cause| {
            vec![messages::of_field("password", &format!("cannot be hashed: {cause}"))]
        })?;
        Ok(Self { user, password_hash })
    }

    fn form(&self) -> Row<'_> {
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
        } = &self.user;
        Row {
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

/// A user as a line, without the image of the photo and without the password.
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
