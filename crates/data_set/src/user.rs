//! Users as lines of the data set.

use patrol_domain::{
    data_set::NewUser,
    ids::MediaId,
    sign_in::{Password, PasswordFault},
    user::{User, UserDraft},
};
use patrol_record::{UserRecord, json::fields::Fields, read_user};

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
    type Form<'a> = UserRecord<'a>;

    fn read(fields: &mut Fields<'_>) -> UserLine {
        let mut draft = read_user(fields);
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

    /// Without the image of the photo and without the password.
    fn form(&self) -> UserRecord<'_> {
        UserRecord::line(&self.user)
    }
}
