//! The batch update of users.

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

/// The most entries of a batch.
pub const MOST_USERS: usize = 1000;

/// One entry of a batch, with checked JSON types.
#[derive(Clone, PartialEq, Default)]
pub struct BatchEntry {
    /// The user; `None` when the member is missing, which is a fault.
    pub id: Option<UserId>,
    /// The members to change, as in a PATCH.
    pub patch: UserPatch,
}

/// Changes of many users; all are stored or none.
#[derive(Clone, PartialEq, Default)]
pub struct UserBatch(pub Vec<BatchEntry>);

impl UserBatch {
    /// The ids of the users, in the order of the batch.
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

    /// The positions of entries whose user an earlier entry names. Empty when there are too many
    /// entries, since that is reported instead.
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

    /// The records and values that the batch names, each once. Those beyond the bounds are left
    /// out: they are faults anyway.
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
        // Many entries name the same locations, so duplicates are dropped.
        all.locations = check::set(&all.locations);
        all
    }

    /// The users after the change, in the order of the entries; `None` for a user that does not
    /// change.
    ///
    /// # Errors
    /// `State` when no active administrator would remain, `Invalid` with the faults of all entries,
    /// in their order.
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
