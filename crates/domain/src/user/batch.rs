//! The batch of users (interface 4.2, decisions 6).

use std::collections::HashSet;

use super::{
    User, UserPatch,
    change::{Entry, apply_all},
};
use crate::shared::{
    check,
    existing::{Existing, References},
    fault::{Faults, Path, Refusal, Rule},
    ids::UserId,
    rules::{Limits, Rules},
};

/// Most entries of a batch (decisions 6).
pub const MOST_USERS: usize = 1000;

/// One entry of a batch, of the right types.
#[derive(Clone, PartialEq, Default)]
pub struct BatchEntry {
    /// The user; none when the member is missing.
    pub id: Option<UserId>,
    /// What changes.
    pub patch: UserPatch,
}

/// Many users to change, all or none.
#[derive(Clone, PartialEq, Default)]
pub struct UserBatch(pub Vec<BatchEntry>);

impl UserBatch {
    /// The users that it names, in its order.
    ///
    /// # Errors
    /// `Invalid` when there are too many entries or an id is missing.
    pub fn ids(&self) -> Result<Vec<UserId>, Refusal> {
        let mut faults = Faults::new();
        if self.0.len() > MOST_USERS {
            faults.push(&Path::Root, Rule::Length { min: 0, max: MOST_USERS });
        }
        for (at, entry) in self.0.iter().enumerate() {
            if entry.id.is_none() {
                faults.push(&Path::Root.index(at).field("id"), Rule::NotNull);
            }
        }
        faults.or(self.0.iter().filter_map(|entry| entry.id).collect())
    }

    /// The entries whose user was named before, by their place; none when there are too many entries,
    /// which is told instead.
    #[must_use]
    pub fn repeated(&self) -> Vec<usize> {
        if self.0.len() > MOST_USERS {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let entries = self.0.iter().enumerate();
        let repeated = entries.filter(|(_, entry)| entry.id.is_some_and(|id| !seen.insert(id)));
        repeated.map(|(at, _)| at).collect()
    }

    /// What it names, as far as the bounds allow, each once.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        let mut all = References::default();
        for entry in &self.0 {
            let References { locations, user_names, active_admins, .. } =
                entry.patch.references(limits);
            all.locations.extend(locations);
            all.user_names.extend(user_names);
            all.active_admins |= active_admins;
        }
        // Many entries name the same locations.
        all.locations = check::set(&all.locations);
        all
    }

    /// What the users, given in the order of the entries, become; none for one that stays as it
    /// is.
    ///
    /// # Errors
    /// `State` when it would leave no active administrator, `Invalid` with the faults of all
    /// entries, in their order.
    pub fn apply(
        &self,
        users: &[User],
        existing: &Existing,
        rules: &Rules,
    ) -> Result<Vec<Option<User>>, Refusal> {
        let root = Path::Root;
        let entries: Vec<_> = self
            .0
            .iter()
            .zip(users)
            .enumerate()
            .map(|(at, (entry, user))| Entry { path: root.index(at), patch: &entry.patch, user })
            .collect();
        apply_all(&entries, existing, rules)
    }
}
