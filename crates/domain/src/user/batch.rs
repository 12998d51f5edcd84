//! The batch update: PATCH of many users.

use std::collections::HashSet;

use super::{
    User, UserPatch,
    change::{Entry, apply_all},
};
use crate::shared::{
    existing::{Existing, References},
    fault::{Fault, Faults, MAX_FAULTS, Path, Refusal, Rule},
    ids::UserId,
    rules::{Limits, Rules},
};

/// The maximum number of entries in a batch.
pub const MAX_BATCH_USERS: usize = 1000;

/// One entry of a batch: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Default)]
pub struct BatchEntry {
    /// The user; `None` when the member is missing, which is a fault.
    pub id: Option<UserId>,
    /// The members to change, as in a PATCH.
    pub patch: UserPatch,
}

/// Changes of many users. Either all are stored or none.
#[derive(Clone, PartialEq, Default)]
pub struct UserBatch(pub Vec<BatchEntry>);

impl UserBatch {
    /// The entries with an id, in order: the position and the id of each. [`Self::apply`] reports
    /// missing ids, together with the faults of other entries.
    ///
    /// # Errors
    /// `Invalid` when there are more than [`MAX_BATCH_USERS`] entries.
    pub fn entries_with_id(&self) -> Result<Vec<(usize, UserId)>, Refusal> {
        let mut faults = Faults::new();
        if self.0.len() > MAX_BATCH_USERS {
            faults.push(&Path::Root, Rule::Length { min: 0, max: MAX_BATCH_USERS });
        }
        let entries = self.0.iter().enumerate();
        faults.into_result(entries.filter_map(|(at, entry)| Some((at, entry.id?))).collect())
    }

    /// The positions of entries with the same id as an earlier entry. Empty when there are more than
    /// [`MAX_BATCH_USERS`] entries: then only their number is reported.
    #[must_use]
    pub fn repeated(&self) -> Vec<usize> {
        if self.0.len() > MAX_BATCH_USERS {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let entries = self.0.iter().enumerate();
        let repeated = entries.filter(|(_, entry)| entry.id.is_some_and(|id| !seen.insert(id)));
        repeated.map(|(at, _)| at).collect()
    }

    /// The records and values that the store has to look up for the batch. A list longer than its
    /// bound is a fault, so only its first elements are included.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        let mut all = References::default();
        for entry in &self.0 {
            all.add(entry.patch.references(limits));
        }
        all
    }

    /// The users after the change, in the order of [`Self::entries_with_id`]; `None` for a user that
    /// does not change. `users` are the users before the change, in the same order.
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
        let (with_id, without_id): (Vec<_>, Vec<_>) =
            self.0.iter().enumerate().partition(|(_, entry)| entry.id.is_some());
        let entries: Vec<_> = with_id
            .into_iter()
            .zip(users)
            .map(|((at, entry), user)| Entry { path: root.index(at), patch: &entry.patch, user })
            .collect();
        let changed = apply_all(&entries, existing, rules);
        if without_id.is_empty() {
            return changed;
        }
        let mut faults = match changed {
            Ok(_) => Vec::new(),
            Err(Refusal::Invalid(faults)) => faults,
            Err(refusal) => return Err(refusal),
        };
        faults.extend(without_id.into_iter().map(|(at, _)| Fault {
            identifier: root.index(at).field("id").to_string(),
            rule: Rule::NotNull,
        }));
        faults.sort_by_key(entry_position);
        faults.truncate(MAX_FAULTS);
        Err(Refusal::Invalid(faults))
    }
}

/// The position of the entry with this fault: 3 for `[3].email`.
fn entry_position(fault: &Fault) -> usize {
    let position = fault.identifier.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    position.and_then(|(position, _)| position.parse().ok()).unwrap_or_default()
}
