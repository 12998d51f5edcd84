//! Rules for users that change together: unique names and the last administrator.
//! [`UserPatch::checked`] has the rules for a single user.

use std::collections::{HashMap, HashSet};

use super::{User, UserPatch, UserStatus};
use crate::{
    access::Role,
    shared::{
        existing::Existing,
        fault::{Faults, Path, Refusal, Rule},
        ids::UserId,
        named::Named,
        patch::Patch,
        rules::Rules,
        text::fold,
    },
};

/// A user to change, and the patch.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The place of the patch in the body.
    pub(super) path: Path<'a>,
    pub(super) patch: &'a UserPatch,
    /// The user before the change.
    pub(super) user: &'a User,
}

/// What entries are checked against, and the faults found so far.
pub(super) struct Check<'a> {
    pub(super) existing: &'a Existing,
    pub(super) rules: &'a Rules,
    pub(super) faults: Faults,
    pub(super) names: Names<'a>,
}

/// The users after the change; `None` for a user that does not change. Nothing is returned when
/// there are faults.
pub(super) fn apply_all(
    entries: &[Entry<'_>],
    existing: &Existing,
    rules: &Rules,
) -> Result<Vec<Option<User>>, Refusal> {
    let changing: HashSet<UserId> = entries.iter().map(|entry| entry.user.id).collect();
    keep_an_administrator(entries, &changing, existing)?;
    let mut check = Check {
        existing,
        rules,
        faults: Faults::new(),
        names: Names::new(&existing.user_names, &changing),
    };
    let changed: Vec<_> = entries
        .iter()
        .map(|Entry { path, patch, user }| {
            let next = patch.checked(path, user, &mut check);
            (next != **user).then_some(next)
        })
        .collect();
    check.faults.or(changed)
}

/// Employee numbers and email addresses: a text may belong to one user only, as number, as address
/// or as both. They are checked on the state after all changes, so that two users may swap them; a
/// clash is reported for the later entry. Names that a user keeps are not checked again, so that
/// stored clashes do not block other changes.
pub(super) struct Names<'a> {
    holders: &'a HashMap<String, HashSet<UserId>>,
    changing: &'a HashSet<UserId>,
    claims: HashMap<String, Vec<Claim>>,
}

/// A user that has a name after its change.
struct Claim {
    user: UserId,
    /// Whether the user gets the name with this change.
    is_new: bool,
}

impl<'a> Names<'a> {
    fn new(holders: &'a HashMap<String, HashSet<UserId>>, changing: &'a HashSet<UserId>) -> Self {
        Self { holders, changing, claims: HashMap::new() }
    }

    /// Records that `user` has this name after its change.
    pub(super) fn claim(
        &mut self,
        faults: &mut Faults,
        path: &Path<'_>,
        user: &User,
        name: Option<&str>,
    ) {
        let Some(name) = name.map(fold) else { return };
        let is_new = !user.has_name(&name);
        // A current holder that changes too either gives the name up or claims it itself.
        let is_taken = is_new
            && self.holders.get(&name).is_some_and(|holders| {
                holders.iter().any(|holder| !self.changing.contains(holder))
            });
        let claims = self.claims.entry(name).or_default();
        let clashes = claims.iter().any(|claim| claim.user != user.id && (claim.is_new || is_new));
        claims.push(Claim { user: user.id, is_new });
        if is_taken || clashes {
            faults.push(path, Rule::Unique);
        }
    }
}

/// The last active administrator cannot be disabled or demoted.
fn keep_an_administrator(
    entries: &[Entry<'_>],
    changing: &HashSet<UserId>,
    existing: &Existing,
) -> Result<(), Refusal> {
    let stays = existing.active_admins.iter().any(|admin| !changing.contains(admin))
        || entries.iter().any(Entry::leaves_an_active_admin);
    if stays {
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
    fn leaves_an_active_admin(&self) -> bool {
        is_active_admin(self.role(), after(&self.patch.status, self.user.status))
    }

    /// The role after the change.
    fn role(&self) -> Role {
        after(&self.patch.role, self.user.role)
    }
}

/// The value after the change. A name that is not allowed counts as no change, because it is
/// reported as a fault elsewhere.
fn after<T: Named>(member: &Patch<String>, before: T) -> T {
    member.value().and_then(|name| T::named(name)).unwrap_or(before)
}
