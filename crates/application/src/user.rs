//! Users.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Edit, Ids, New, Path, Rules,
    ids::UserId,
    list::Listing,
    user::{
        BatchChange, BatchEdit, BatchEntry, User, UserBatch, UserDraft, UserPatch, UserQuery, Users,
    },
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit, permit_members, permit_record},
};

/// The use cases of users.
#[derive(Clone)]
pub struct UserService {
    users: Arc<dyn Users>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

impl UserService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        users: Arc<dyn Users>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { users, clock, ids, rules }
    }

    /// The users that match the query, with their PINs: the caller of this function leaves out the
    /// PINs that `actor` may not see ([`crate::may_see_pin`]).
    ///
    /// # Errors
    /// `Denied`.
    pub fn list(&self, actor: Actor, query: UserQuery) -> Result<Listing<User>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.users.list(query))
    }

    /// One user, with its PIN, as in [`Self::list`].
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    pub async fn get(&self, actor: Actor, id: UserId) -> Result<User, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.users.get(id).await?.ok_or(Failure::NotFound)?.record)
    }

    /// Creates a user. Language and status have defaults; a draft without an id gets a new one.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    pub async fn create(&self, actor: Actor, draft: UserDraft) -> Result<User, Failure> {
        permit(actor, Operation::Plan)?;
        permit_members(actor, None, &[], draft.role.as_deref())?;
        let id = draft.id.unwrap_or_else(|| UserId(self.ids.next()));
        let draft = UserDraft { id: Some(id), ..draft.with_defaults() };
        let rules = self.rules;
        let new = New {
            references: draft.references(&rules.limits),
            make: Box::new(move |existing| draft.check(Some(existing), &rules)),
        };
        Ok(self.users.create(new, actor.origin_at(self.clock.now())).await?)
    }

    /// PATCH of one user.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.patch", skip_all)]
    pub async fn patch(&self, actor: Actor, id: UserId, patch: UserPatch) -> Result<User, Failure> {
        permit(actor, Operation::ChangeUser)?;
        let role = patch.role.value().map(String::as_str);
        permit_members(actor, Some(id), &patch.members(), role)?;
        let rules = self.rules;
        let edit = Edit {
            at: At::any_version(id),
            references: patch.references(&rules.limits),
            change: Box::new(move |user: &User, existing| {
                permit_record(actor, user)?;
                patch.apply(user, existing, &rules)
            }),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.users.update(edit, by).await?.record)
    }

    /// PATCH of many users: changes all or none. Returns the users in the order of the entries.
    ///
    /// # Errors
    /// `Denied`, `Unknown`, `Repeated`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.patch_batch", skip_all)]
    pub async fn patch_batch(&self, actor: Actor, batch: UserBatch) -> Result<Vec<User>, Failure> {
        permit(actor, Operation::Plan)?;
        for BatchEntry { patch, .. } in &batch.0 {
            let role = patch.role.value().map(String::as_str);
            permit_members(actor, None, &patch.members(), role)?;
        }
        let repeated = batch.repeated();
        if !repeated.is_empty() {
            return Err(Failure::Repeated(id_paths(&repeated)));
        }
        let rules = self.rules;
        let (positions, ids): (Vec<_>, Vec<_>) = batch.entries_with_id()?.into_iter().unzip();
        let references = batch.references(&rules.limits);
        let by = actor.origin_at(self.clock.now());
        let change: BatchChange = Box::new(move |users, existing| {
            users.iter().try_for_each(|user| permit_record(actor, user))?;
            batch.apply(users, existing, &rules)
        });
        let changed = self.users.update_batch(BatchEdit { ids, references, change }, by).await?;
        changed.map_err(|unknown| {
            let unknown: Vec<_> =
                unknown.iter().filter_map(|at| positions.get(*at).copied()).collect();
            Failure::Unknown(id_paths(&unknown))
        })
    }
}

/// The paths of the ids of these entries, for example `[2].id`.
fn id_paths(entries: &[usize]) -> Vec<String> {
    entries.iter().map(|at| Path::Root.index(*at).field("id").to_string()).collect()
}
