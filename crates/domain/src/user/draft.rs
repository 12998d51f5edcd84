//! A new user.

use super::{User, UserStatus};
use crate::{
    access::Role,
    shared::{
        check,
        existing::{Existing, References, UniqueValue},
        fault::{Faults, Path, Refusal, Rule},
        ids::{LocationId, UserId},
        named::Named,
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
        Faults::checked(|faults| {
            let limits = &rules.limits;
            let at = |name| Path::Root.field(name);
            let optional = |faults: &mut Faults, name, text: Option<&str>, min| {
                if let Some(text) = text {
                    check::text(faults, &at(name), text, min, limits.text);
                }
            };

            let id = check::required(faults, &at("id"), self.id);
            if id.is_some_and(|id| existing.is_some_and(|existing| existing.has(id))) {
                faults.push(&at("id"), Rule::Unique);
            }
            let first_name =
                check::name(faults, &at("firstName"), self.first_name.as_deref(), limits);
            optional(faults, "middleName", self.middle_name.as_deref(), 0);
            let last_name = check::name(faults, &at("lastName"), self.last_name.as_deref(), limits);
            optional(faults, "employeeNo", self.employee_no.as_deref(), 1);
            check_free(faults, &at("employeeNo"), self.employee_no.as_deref(), existing);
            optional(faults, "employeePin", self.employee_pin.as_deref(), 0);
            optional(faults, "email", self.email.as_deref(), 1);
            if let Some(email) = &self.email
                && !(rules.is_email)(email)
            {
                faults.push(&at("email"), Rule::Email);
            }
            check_free(faults, &at("email"), self.email.as_deref(), existing);
            optional(faults, "phone", self.phone.as_deref(), 0);
            let language = check::required(faults, &at("language"), self.language.as_deref());
            if language.is_some_and(|language| !is_language(language)) {
                faults.push(&at("language"), Rule::Language);
            }
            let role = check::required(faults, &at("role"), self.role.as_deref())
                .and_then(|role| check::enum_value::<Role>(faults, &at("role"), role));
            let status = check::required(faults, &at("status"), self.status.as_deref())
                .and_then(|status| check::enum_value::<UserStatus>(faults, &at("status"), status));
            check::list_length(
                faults,
                &at("locationIds"),
                self.location_ids.len(),
                limits.locations,
            );
            if let Some(existing) = existing {
                for (index, location) in self.location_ids.iter().enumerate().take(limits.locations)
                {
                    if !existing.has(*location) {
                        faults.push(&at("locationIds").index(index), Rule::Reference);
                    }
                }
            }
            let tags = check::tags(faults, &at("tags"), &self.tags, limits);
            Some(User {
                id: id?,
                first_name: first_name?,
                middle_name: self.middle_name.clone(),
                last_name: last_name?,
                employee_no: self.employee_no.clone(),
                employee_pin: self.employee_pin.clone(),
                email: self.email.clone(),
                phone: self.phone.clone(),
                language: language?.to_owned(),
                role: role?,
                status: status?,
                photo_id: None,
                location_ids: check::distinct(&self.location_ids),
                tags,
                linked: self.linked,
            })
        })
    }
}

/// Checks that no user has this text as employee number or email address.
fn check_free(
    faults: &mut Faults,
    path: &Path<'_>,
    name: Option<&str>,
    existing: Option<&Existing>,
) {
    if let (Some(name), Some(existing)) = (name, existing)
        && existing.owners(UniqueValue::UserName, &fold(name)).next().is_some()
    {
        faults.push(path, Rule::Unique);
    }
}

/// Whether a text is a language tag: two or three letters, and optionally a region of two letters or
/// three digits. Examples: `en`, `pt-BR`, `es-419`.
pub(super) fn is_language(text: &str) -> bool {
    let (language, region) = match text.split_once('-') {
        Some((language, region)) => (language, Some(region)),
        None => (text, None),
    };
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    matches!(language.len(), 2 | 3)
        && letters(language)
        && region.is_none_or(|region| match region.len() {
            2 => letters(region),
            3 => digits(region),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::is_language;

    #[test]
    fn a_language_tag_has_two_or_three_letters_and_an_optional_region() {
        for good in ["en", "ru", "pt-BR", "es-419", "gsw"] {
            assert!(is_language(good), "{good}");
        }
        for bad in ["", "e", "engl", "en-", "en-B", "en_US", "e1", "en-US-x", "-US", "рус", "en-ß"]
        {
            assert!(!is_language(bad), "{bad}");
        }
    }
}
