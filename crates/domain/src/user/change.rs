//! What users become that change together: what holds for each alone is [`UserPatch::checked`]'s,
//! here is what holds among them (decisions 6).

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

/// A user that changes, with its patch.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Where the patch stands in the body.
    pub(super) path: Path<'a>,
    /// The patch.
    pub(super) patch: &'a UserPatch,
    /// The user.
    pub(super) user: &'a User,
}

/// What the entries are checked against, and the faults found so far.
pub(super) struct Check<'a> {
    pub(super) existing: &'a Existing,
    pub(super) rules: &'a Rules,
    pub(super) faults: Faults,
    pub(super) names: Names<'a>,
}

/// What the users become, all of them or none; none for one that stays as it is.
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

/// The employee numbers and email addresses, which only one user may have: as number, as email
/// address or as both. They are judged on the state after all changes, so that two users may swap
/// them; of a clash the later entry is named. A name that a user already has is not judged again,
/// so that a clash of stored users does not block other changes of theirs.
pub(super) struct Names<'a> {
    holders: &'a HashMap<String, HashSet<UserId>>,
    changing: &'a HashSet<UserId>,
    claims: HashMap<String, Vec<Claim>>,
}

/// An entry that has a name after its change.
struct Claim {
    user: UserId,
    /// Whether the user did not have the name before.
    is_new: bool,
}

impl<'a> Names<'a> {
    fn new(holders: &'a HashMap<String, HashSet<UserId>>, changing: &'a HashSet<UserId>) -> Self {
        Self { holders, changing, claims: HashMap::new() }
    }

    /// Notes that `user` has this name after its change.
    pub(super) fn claim(
        &mut self,
        faults: &mut Faults,
        path: &Path<'_>,
        user: &User,
        name: Option<&str>,
    ) {
        let Some(name) = name.map(fold) else { return };
        let is_new = !user.has_name(&name);
        // A holder that changes too gives the name up, or claims it itself.
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

/// The last active administrator can be neither disabled nor demoted.
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

/// The value after the change. One that is not among those allowed is a fault of its own.
fn after<T: Named>(member: &Patch<String>, before: T) -> T {
    member.value().and_then(|name| T::named(name)).unwrap_or(before)
}
