//! The batch update of users.

use std::collections::HashSet;

use super::{
    User, UserPatch,
    change::{Entry, apply_all},
};
use crate::shared::{
    check,
    existing::{Existing, References},
    fault::{Fault, Faults, MOST_FAULTS, Path, Refusal, Rule},
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
    /// The positions and ids of the entries that have an id, in order. [`Self::apply`] reports
    /// missing ids together with the faults of other entries.
    ///
    /// # Errors
    /// `Invalid` when there are too many entries.
    pub fn named(&self) -> Result<Vec<(usize, UserId)>, Refusal> {
        let mut faults = Faults::new();
        if self.0.len() > MOST_USERS {
            faults.push(&Path::Root, Rule::Length { min: 0, max: MOST_USERS });
        }
        let entries = self.0.iter().enumerate();
        faults.or(entries.filter_map(|(at, entry)| Some((at, entry.id?))).collect())
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

    /// The users after the change, in the order of [`Self::named`]; `None` for a user that does not
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
        let (named, nameless): (Vec<_>, Vec<_>) =
            self.0.iter().enumerate().partition(|(_, entry)| entry.id.is_some());
        let entries: Vec<_> = named
            .into_iter()
            .zip(users)
            .map(|((at, entry), user)| Entry { path: root.index(at), patch: &entry.patch, user })
            .collect();
        let changed = apply_all(&entries, existing, rules);
        if nameless.is_empty() {
            return changed;
        }
        let mut faults = match changed {
            Ok(_) => Vec::new(),
            Err(Refusal::Invalid(faults)) => faults,
            Err(refusal) => return Err(refusal),
        };
        faults.extend(nameless.into_iter().map(|(at, _)| Fault {
            identifier: root.index(at).field("id").to_string(),
            rule: Rule::NotNull,
        }));
        faults.sort_by_key(entry_of);
        faults.truncate(MOST_FAULTS);
        Err(Refusal::Invalid(faults))
    }
}

/// The position of the entry that a fault concerns: 3 for `[3].email`.
fn entry_of(fault: &Fault) -> usize {
    let place = fault.identifier.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    place.and_then(|(place, _)| place.parse().ok()).unwrap_or_default()
}
