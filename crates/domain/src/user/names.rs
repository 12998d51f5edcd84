//! Unique employee numbers and email addresses, across all users of a change.

use std::collections::{HashMap, HashSet};

use super::User;
use crate::shared::{
    existing::{Existing, UniqueValue},
    fault::{Faults, Path, Rule},
    ids::UserId,
    rules::Rules,
    text::fold,
};

/// The state of the check of all entries: its inputs, and the faults found so far.
pub(super) struct Check<'a> {
    /// `None` in an import, which checks unique values and references itself.
    pub(super) existing: Option<&'a Existing>,
    pub(super) rules: &'a Rules,
    pub(super) faults: Faults,
    pub(super) names: Names<'a>,
}

/// Checks that login names (employee numbers and email addresses) are unique: no two users may have
/// the same text as number or address. The state after all changes counts, so that two users may
/// swap login names. A conflict is reported for the later entry. Login names that a user keeps are
/// not checked again, so that conflicts in older data do not block other changes.
pub(super) struct Names<'a> {
    existing: Option<&'a Existing>,
    changing: &'a HashSet<UserId>,
    claims: HashMap<String, Vec<Claim>>,
}

/// A user who has the name after the change.
struct Claim {
    user: UserId,
    /// Whether the user gets the name with this change.
    is_new: bool,
}

impl<'a> Names<'a> {
    pub(super) fn new(existing: Option<&'a Existing>, changing: &'a HashSet<UserId>) -> Self {
        Self { existing, changing, claims: HashMap::new() }
    }

    /// Records that `user` has `name` after the change; a fault when another user has it too.
    pub(super) fn claim(
        &mut self,
        faults: &mut Faults,
        path: &Path<'_>,
        user: &User,
        name: Option<&str>,
    ) {
        let Some(name) = name.map(fold) else { return };
        let is_new = !user.has_name(&name);
        // A current owner in the same batch either gives up the name or claims it in its own entry.
        let has_other_owner = |existing: &Existing| {
            let mut owners = existing.owners(UniqueValue::UserName, &name);
            owners.any(|owner| !self.changing.contains(&UserId(owner)))
        };
        let is_taken = is_new && self.existing.is_some_and(has_other_owner);
        let claims = self.claims.entry(name).or_default();
        let conflicts =
            claims.iter().any(|claim| claim.user != user.id && (claim.is_new || is_new));
        claims.push(Claim { user: user.id, is_new });
        if is_taken || conflicts {
            faults.push(path, Rule::Unique);
        }
    }
}
