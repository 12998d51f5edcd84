//! A new user.

use std::collections::HashSet;

use super::{
    User, UserPatch, UserStatus,
    names::{Check, Names},
};
use crate::{
    access::Role,
    shared::{
        check,
        existing::{Existing, References, UniqueValue},
        fault::{Faults, Path, Refusal, Rule},
        ids::{LocationId, UserId, Uuid},
        named::Named,
        patch::Patch,
        rules::{Limits, Rules},
        text::fold,
    },
};

/// The language of a user that is created without one. An import requires a language.
const DEFAULT_LANGUAGE: &str = "en";

/// A new user before [`UserDraft::check`]: with the right JSON types, but not checked against the
/// field rules.
#[derive(Clone, PartialEq, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct UserDraft {
    pub id: Option<UserId>,
    pub first_name: Option<String>,
    pub middle_name: Option<String>,
    pub last_name: Option<String>,
    pub employee_no: Option<String>,
    pub employee_pin: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub language: Option<String>,
    pub role: Option<String>,
    pub status: Option<String>,
    pub location_ids: Vec<LocationId>,
    pub tags: Vec<String>,
    /// Whether the line of the data set has a password.
    pub linked: bool,
}

impl UserDraft {
    /// The draft with the defaults of a user that is not imported: language `en`, status ACTIVE.
    #[must_use]
    pub fn with_defaults(self) -> Self {
        let language = self.language.or_else(|| Some(DEFAULT_LANGUAGE.to_owned()));
        let status = self.status.or_else(|| Some(UserStatus::Active.name().to_owned()));
        Self { language, status, ..self }
    }

    /// The records and values that the store has to look up for the draft. A list longer than its
    /// bound is a fault, so only its first elements are included.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        let names = [&self.employee_no, &self.email].into_iter().flatten();
        References::default()
            .with(self.id)
            .with(self.location_ids.iter().take(limits.locations).copied())
            .with_values(UniqueValue::UserName, names.map(|name| fold(name)))
    }

    /// The user, if all members meet their rules. `existing` is `None` in an import, which checks
    /// ids, unique values and references itself.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, existing: Option<&Existing>, rules: &Rules) -> Result<User, Refusal> {
        let mut faults = Faults::new();
        let path = Path::Root.field("id");
        let id = check::required(&mut faults, &path, self.id);
        if id.is_some_and(|id| existing.is_some_and(|existing| existing.has(id))) {
            faults.push(&path, Rule::Unique);
        }
        let nobody = HashSet::new();
        let names = Names::new(existing, &nobody);
        let mut check = Check { existing, rules, faults, names };
        let id = id.unwrap_or(UserId(Uuid::nil()));
        let blank = User::new(id, "", "", "", Role::Employee);
        let user = self.members().apply_members(&Path::Root, &blank, &mut check);
        check.faults.into_result(User { linked: self.linked, ..user })
    }

    /// The change of a blank user that makes the new one. A required member that is missing is null.
    fn members(&self) -> UserPatch {
        let draft = self.clone();
        let required = |member: Option<String>| member.map_or(Patch::Null, Patch::Value);
        let optional = |member: Option<String>| member.map_or(Patch::Absent, Patch::Value);
        UserPatch {
            first_name: required(draft.first_name),
            middle_name: optional(draft.middle_name),
            last_name: required(draft.last_name),
            employee_no: optional(draft.employee_no),
            employee_pin: optional(draft.employee_pin),
            email: optional(draft.email),
            phone: optional(draft.phone),
            language: required(draft.language),
            role: required(draft.role),
            status: required(draft.status),
            location_ids: Patch::Value(draft.location_ids),
            tags: Patch::Value(draft.tags),
        }
    }
}
