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
    pub(super) numbers: Unique<'a>,
    pub(super) emails: Unique<'a>,
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
        numbers: Unique::new(&existing.employee_nos, &changing),
        emails: Unique::new(&existing.emails, &changing),
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

/// A value that only one user may have. It is judged on the state after all changes, so that two
/// users may swap values; of a clash the later entry is named.
pub(super) struct Unique<'a> {
    holders: &'a HashMap<String, UserId>,
    changing: &'a HashSet<UserId>,
    claimed: HashSet<String>,
}

impl<'a> Unique<'a> {
    fn new(holders: &'a HashMap<String, UserId>, changing: &'a HashSet<UserId>) -> Self {
        Self { holders, changing, claimed: HashSet::new() }
    }

    /// Notes that an entry has this value after its change.
    pub(super) fn claim(&mut self, faults: &mut Faults, path: &Path<'_>, value: Option<&str>) {
        let Some(value) = value.map(fold) else { return };
        // A holder that changes too gives the value up, or claims it itself.
        let taken = self.holders.get(&value).is_some_and(|holder| !self.changing.contains(holder));
        if taken || !self.claimed.insert(value) {
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
