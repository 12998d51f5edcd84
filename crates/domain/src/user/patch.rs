//! PATCH of a user.

use std::{collections::HashSet, ops::RangeInclusive};

use super::{User, names::Check};
use crate::shared::{
    check,
    existing::{References, UniqueValue},
    fault::{Faults, Path, Rule},
    ids::LocationId,
    patch::{Patch, not_null},
    rules::Limits,
    text::fold,
};

/// The members of a PATCH: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct UserPatch {
    pub first_name: Patch<String>,
    pub middle_name: Patch<String>,
    pub last_name: Patch<String>,
    pub employee_no: Patch<String>,
    pub employee_pin: Patch<String>,
    pub email: Patch<String>,
    pub phone: Patch<String>,
    pub language: Patch<String>,
    pub role: Patch<String>,
    pub status: Patch<String>,
    pub location_ids: Patch<Vec<LocationId>>,
    pub tags: Patch<Vec<String>>,
}

impl UserPatch {
    /// The names of all members, in the order of the fields.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::default().absent().into_iter().map(|(name, _)| name)
    }

    /// The names of the members that the body has, including null members.
    #[must_use]
    pub fn members(&self) -> Vec<&'static str> {
        let members = self.absent().into_iter();
        members.filter(|(_, is_absent)| !is_absent).map(|(name, _)| name).collect()
    }

    /// All members by name, each with whether the body lacks it.
    const fn absent(&self) -> [(&'static str, bool); 12] {
        let Self {
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
            location_ids,
            tags,
        } = self;
        [
            ("firstName", first_name.is_absent()),
            ("middleName", middle_name.is_absent()),
            ("lastName", last_name.is_absent()),
            ("employeeNo", employee_no.is_absent()),
            ("employeePin", employee_pin.is_absent()),
            ("email", email.is_absent()),
            ("phone", phone.is_absent()),
            ("language", language.is_absent()),
            ("role", role.is_absent()),
            ("status", status.is_absent()),
            ("locationIds", location_ids.is_absent()),
            ("tags", tags.is_absent()),
        ]
    }

    /// The records and values that the store has to look up for the patch. A list longer than its
    /// bound is a fault, so only its first elements are included.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        let names = [&self.employee_no, &self.email].into_iter().filter_map(Patch::value);
        let locations = self.location_ids.value().into_iter().flatten().take(limits.locations);
        let references = References::default()
            .with(locations.copied())
            .with_values(UniqueValue::UserName, names.map(|name| fold(name)));
        // Only a change of these members can disable or demote the last administrator.
        let active_admins = !(self.role.is_absent() && self.status.is_absent());
        References { active_admins, ..references }
    }

    /// Checks the members and returns the user after the change. Adds faults to `check`, in the order
    /// in which `docs/api/users.md` lists the members.
    pub(super) fn apply_members(
        &self,
        path: &Path<'_>,
        user: &User,
        check: &mut Check<'_>,
    ) -> User {
        let Check { existing, rules, faults, names } = check;
        let limits = &rules.limits;
        let at = |name| path.field(name);
        let mut next = user.clone();
        name(faults, &at("firstName"), &self.first_name, &mut next.first_name, limits);
        let may_be_empty = 0..=limits.text;
        text(faults, &at("middleName"), &self.middle_name, &mut next.middle_name, &may_be_empty);
        name(faults, &at("lastName"), &self.last_name, &mut next.last_name, limits);
        let not_empty = 1..=limits.text;
        text(faults, &at("employeeNo"), &self.employee_no, &mut next.employee_no, &not_empty);
        names.claim(faults, &at("employeeNo"), user, next.employee_no.as_deref());
        text(faults, &at("employeePin"), &self.employee_pin, &mut next.employee_pin, &may_be_empty);
        text(faults, &at("email"), &self.email, &mut next.email, &not_empty);
        if self.email.value().is_some_and(|email| !(rules.is_email)(email)) {
            faults.push(&at("email"), Rule::Email);
        }
        names.claim(faults, &at("email"), user, next.email.as_deref());
        text(faults, &at("phone"), &self.phone, &mut next.phone, &may_be_empty);
        if let Some(language) = not_null(faults, &at("language"), &self.language) {
            if !is_language(language) {
                faults.push(&at("language"), Rule::Language);
            }
            next.language.clone_from(language);
        }
        if let Some(role) = not_null(faults, &at("role"), &self.role) {
            next.role = check::enum_value(faults, &at("role"), role).unwrap_or(next.role);
        }
        if let Some(status) = not_null(faults, &at("status"), &self.status) {
            next.status = check::enum_value(faults, &at("status"), status).unwrap_or(next.status);
        }
        if let Some(locations) = not_null(faults, &at("locationIds"), &self.location_ids) {
            check::list_length(faults, &at("locationIds"), locations.len(), limits.locations);
            let current: HashSet<_> = user.location_ids.iter().collect();
            for (index, location) in locations.iter().enumerate().take(limits.locations) {
                let is_missing = existing.is_some_and(|existing| !existing.has(*location));
                if is_missing && !current.contains(location) {
                    faults.push(&at("locationIds").index(index), Rule::Reference);
                }
            }
            next.location_ids = check::distinct(locations);
        }
        if let Some(tags) = not_null(faults, &at("tags"), &self.tags) {
            next.tags = check::tags(faults, &at("tags"), tags, limits);
        }
        next
    }
}

/// Checks and sets a name, which must not be null.
fn name(
    faults: &mut Faults,
    path: &Path<'_>,
    member: &Patch<String>,
    field: &mut String,
    limits: &Limits,
) {
    if let Some(name) = not_null(faults, path, member) {
        check::text(faults, path, name, 1, limits.name);
        field.clone_from(name);
    }
}

/// Checks and sets a text that may be null.
fn text(
    faults: &mut Faults,
    path: &Path<'_>,
    member: &Patch<String>,
    field: &mut Option<String>,
    length: &RangeInclusive<usize>,
) {
    if let Some(text) = member.value() {
        check::text(faults, path, text, *length.start(), *length.end());
    }
    if !member.is_absent() {
        *field = member.value().cloned();
    }
}

/// Whether a text is a language tag: two or three letters, and optionally a region of two letters or
/// three digits. Examples: `en`, `pt-BR`, `es-419`.
fn is_language(text: &str) -> bool {
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
