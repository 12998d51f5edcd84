//! A change of one or several users, and the rule that at least one active administrator remains.
//! [`UserPatch::apply_members`] has the rules for the members of a single user.

use std::collections::HashSet;

use super::{
    User, UserPatch, is_active_admin,
    names::{Check, Names},
};
use crate::{
    access::Role,
    shared::{
        existing::Existing,
        fault::{Faults, Path, Refusal},
        ids::UserId,
        named::Named,
        patch::Patch,
        rules::Rules,
    },
};

/// A user to change, with its patch.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The path of the patch in the body: the root, or for example `[3]`.
    pub(super) path: Path<'a>,
    pub(super) patch: &'a UserPatch,
    /// The user before the change.
    pub(super) user: &'a User,
}

impl UserPatch {
    /// The user after the change; `None` when nothing changes.
    ///
    /// # Errors
    /// `State` when no active administrator would remain, `Invalid` with the faults of the members.
    pub fn apply(
        &self,
        user: &User,
        existing: &Existing,
        rules: &Rules,
    ) -> Result<Option<User>, Refusal> {
        let entry = Entry { path: Path::Root, patch: self, user };
        apply_all(&[entry], existing, rules).map(|changed| changed.into_iter().flatten().next())
    }
}

/// The users after the change; `None` for a user that does not change.
///
/// # Errors
/// `State` when no active administrator would remain, `Invalid` with the faults of all entries.
pub(super) fn apply_all(
    entries: &[Entry<'_>],
    existing: &Existing,
    rules: &Rules,
) -> Result<Vec<Option<User>>, Refusal> {
    let changing: HashSet<UserId> = entries.iter().map(|entry| entry.user.id).collect();
    require_active_admin(entries, &changing, existing)?;
    let (existing, faults) = (Some(existing), Faults::new());
    let mut check = Check { existing, rules, faults, names: Names::new(existing, &changing) };
    let changed: Vec<_> = entries
        .iter()
        .map(|Entry { path, patch, user }| {
            let next = patch.apply_members(path, user, &mut check);
            (next != **user).then_some(next)
        })
        .collect();
    check.faults.into_result(changed)
}

/// Checks that at least one active administrator remains.
fn require_active_admin(
    entries: &[Entry<'_>],
    changing: &HashSet<UserId>,
    existing: &Existing,
) -> Result<(), Refusal> {
    let remains = existing.active_admins.iter().any(|admin| !changing.contains(admin))
        || entries.iter().any(Entry::is_active_admin_after);
    if remains {
        return Ok(());
    }
    match entries.iter().rfind(|entry| is_active_admin(entry.user.role, entry.user.status)) {
        Some(entry) => {
            let member = if entry.role() == Role::Admin { "status" } else { "role" };
            Err(Refusal::State(entry.path.field(member).to_string()))
        }
        None => Ok(()),
    }
}

impl Entry<'_> {
    fn is_active_admin_after(&self) -> bool {
        is_active_admin(self.role(), value_after(&self.patch.status, self.user.status))
    }

    /// The role after the change.
    fn role(&self) -> Role {
        value_after(&self.patch.role, self.user.role)
    }
}

/// The value after the change. An unknown name counts as no change: [`UserPatch::apply_members`]
/// reports it.
fn value_after<T: Named>(member: &Patch<String>, before: T) -> T {
    member.value().and_then(|name| T::from_name(name)).unwrap_or(before)
}
