//! Rules across all users of a change: unique employee numbers and email addresses, and at least one
//! active administrator. [`UserPatch::apply_members`] has the rules for a single user.

use std::collections::{HashMap, HashSet};

use super::{User, UserPatch, UserStatus};
use crate::{
    access::Role,
    shared::{
        existing::{Existing, UniqueValue},
        fault::{Faults, Path, Refusal, Rule},
        ids::UserId,
        named::Named,
        patch::Patch,
        rules::Rules,
        text::fold,
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

/// The state of the check of all entries: its inputs, and the faults found so far.
pub(super) struct Check<'a> {
    pub(super) existing: &'a Existing,
    pub(super) rules: &'a Rules,
    pub(super) faults: Faults,
    pub(super) names: Names<'a>,
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
    let mut check =
        Check { existing, rules, faults: Faults::new(), names: Names::new(existing, &changing) };
    let changed: Vec<_> = entries
        .iter()
        .map(|Entry { path, patch, user }| {
            let next = patch.apply_members(path, user, &mut check);
            (next != **user).then_some(next)
        })
        .collect();
    check.faults.into_result(changed)
}

/// Checks that employee numbers and email addresses ("names" here) are unique: only one user may have
/// a text as number, as address or as both. The state after all changes counts, so that two users may
/// swap names. A conflict is reported for the later entry. Names that a user keeps are not checked
/// again, so that conflicts in older data do not block other changes.
pub(super) struct Names<'a> {
    existing: &'a Existing,
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
    fn new(existing: &'a Existing, changing: &'a HashSet<UserId>) -> Self {
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
        let mut owners = self.existing.owners(UniqueValue::UserName, &name);
        let is_taken = is_new && owners.any(|owner| !self.changing.contains(&UserId(owner)));
        drop(owners);
        let claims = self.claims.entry(name).or_default();
        let conflicts =
            claims.iter().any(|claim| claim.user != user.id && (claim.is_new || is_new));
        claims.push(Claim { user: user.id, is_new });
        if is_taken || conflicts {
            faults.push(path, Rule::Unique);
        }
    }
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

fn is_active_admin(role: Role, status: UserStatus) -> bool {
    role == Role::Admin && status == UserStatus::Active
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
