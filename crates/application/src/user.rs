//! Users.

use std::sync::Arc;

use futures_util::StreamExt as _;
use patrol_domain::{
    Edit, New, Path, Refusal, Target, Versioned,
    event::Origin,
    ids::UserId,
    list::{Listing, Part},
    user::{
        BatchChange, BatchEdit, BatchEntry, Removal, User, UserBatch, UserDraft, UserPatch,
        UserQuery, Users,
    },
};

use crate::{
    context::Context,
    dry_run::{self, DryRun},
    failure::Failure,
    permission::{Actor, Operation, may_see_pin, permit, permit_members, permit_record},
};

/// The use cases of users.
#[derive(Clone)]
pub struct UserService {
    users: Arc<dyn Users>,
    context: Context,
}

impl UserService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(users: Arc<dyn Users>, context: Context) -> Self {
        Self { users, context }
    }

    /// The users that match the query, without the PINs that `actor` may not see.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "user.list", skip_all)]
    pub fn list(&self, actor: Actor, query: UserQuery) -> Result<Listing<User>, Failure> {
        permit(actor, Operation::Read)?;
        let shown = move |user| shown(actor, user);
        let parts = self.users.list(query).map(move |part| {
            part.map(|part| match part {
                Part::Rows(users) => Part::Rows(users.into_iter().map(shown).collect()),
                total @ Part::Total(_) => total,
            })
        });
        Ok(Box::pin(parts))
    }

    /// One user, without the PIN if `actor` may not see it.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: UserId) -> Result<Versioned<User>, Failure> {
        permit(actor, Operation::Read)?;
        let found = self.users.get(id).await?;
        let Versioned { record, version } = found.ok_or_else(|| actor.missing(id))?;
        Ok(Versioned { record: shown(actor, record), version })
    }

    /// Creates a user. Language and status have defaults; a draft without an id gets a new one.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.create", skip_all)]
    pub async fn create(&self, actor: Actor, draft: UserDraft) -> Result<User, Failure> {
        permit(actor, Operation::Plan)?;
        permit_members(actor, None, &[], draft.role.as_deref())?;
        let id = draft.id.unwrap_or_else(|| UserId(self.context.new_id()));
        let draft = UserDraft { id: Some(id), ..draft.with_defaults() };
        let rules = self.context.rules;
        let new = New {
            references: draft.references(&rules.limits),
            make: Box::new(move |existing| draft.check(Some(existing), &rules)),
        };
        Ok(self.users.create(new, self.context.origin(actor)).await?)
    }

    /// PATCH of one user.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.patch", skip_all)]
    pub async fn patch(
        &self,
        actor: Actor,
        at: Target<User>,
        patch: UserPatch,
    ) -> Result<Versioned<User>, Failure> {
        permit(actor, Operation::ChangeUser)?;
        let role = patch.role.value().map(String::as_str);
        permit_members(actor, Some(at.id), &patch.members(), role)?;
        let (rules, user) = (self.context.rules, at.id);
        let edit = Edit {
            at,
            references: patch.references(&rules.limits),
            change: Box::new(move |user: &User, existing| {
                permit_record(actor, user)?;
                patch.apply(user, existing, &rules)
            }),
        };
        let by = self.context.origin(actor);
        let updated = self.users.update(edit, by).await;
        updated.map_err(|error| actor.failure_of(user, error))
    }

    /// Deletes the user with tokens, password and photo, and takes it off PENDING executions. A job removes
    /// the image of the photo later.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `CallerInvalid`, `Stale`, `Refused` for the last active administrator, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: Target<User>) -> Result<(), Failure> {
        permit(actor, Operation::DeleteUser)?;
        let user = at.id;
        let removal = Removal { at, check: Box::new(User::check_removal) };
        let removed = self.users.remove(removal, self.context.origin(actor)).await;
        removed.map_err(|error| actor.failure_of(user, error))
    }

    /// PATCH of many users: changes all or none. Returns the users in the order of the entries.
    ///
    /// # Errors
    /// `Denied`, `Unknown`, `CallerInvalid`, `Repeated`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "user.patch_batch", skip_all)]
    pub async fn patch_batch(&self, actor: Actor, batch: UserBatch) -> Result<Vec<User>, Failure> {
        permit(actor, Operation::Plan)?;
        let by = self.context.origin(actor);
        self.change_many(actor, batch, by, Ok).await
    }

    /// What [`Self::patch_batch`] would return. Runs all its checks and stores nothing.
    ///
    /// # Errors
    /// Those of [`Self::patch_batch`].
    #[tracing::instrument(target = "patrol::trace", name = "user.dry_run_batch", skip_all)]
    pub async fn dry_run_batch(
        &self,
        actor: Actor,
        batch: UserBatch,
    ) -> Result<Vec<User>, Failure> {
        permit(actor, Operation::Plan)?;
        let dry_run = DryRun::new();
        let keep = dry_run.keep();
        let by = dry_run::origin(actor, self.context.now());
        let unchanged = self.change_many(actor, batch, by, move |users: Vec<Option<User>>| {
            let nothing = users.iter().map(|_| None).collect();
            keep(users);
            Ok(nothing)
        });
        let users = unchanged.await?;
        let changed = dry_run.result().into_iter().flatten();
        Ok(users.into_iter().zip(changed).map(|(old, new)| new.unwrap_or(old)).collect())
    }

    /// Changes all users of a batch or none. `store` gets the users after the change and returns what
    /// is stored.
    async fn change_many(
        &self,
        actor: Actor,
        batch: UserBatch,
        by: Origin,
        store: impl Fn(Vec<Option<User>>) -> Result<Vec<Option<User>>, Refusal> + Send + Sync + 'static,
    ) -> Result<Vec<User>, Failure> {
        for BatchEntry { patch, .. } in &batch.0 {
            let role = patch.role.value().map(String::as_str);
            permit_members(actor, None, &patch.members(), role)?;
        }
        let repeated = batch.repeated();
        if !repeated.is_empty() {
            return Err(Failure::Repeated(id_paths(&repeated)));
        }
        let rules = self.context.rules;
        let (positions, ids): (Vec<_>, Vec<_>) = batch.entries_with_id()?.into_iter().unzip();
        let references = batch.references(&rules.limits);
        let named = ids.clone();
        let change: BatchChange = Box::new(move |users, existing| {
            users.iter().try_for_each(|user| permit_record(actor, user))?;
            store(batch.apply(users, existing, &rules)?)
        });
        let changed = self.users.update_batch(BatchEdit { ids, references, change }, by).await?;
        changed.map_err(|unknown| {
            let is_caller =
                |at: &usize| actor.user().is_some_and(|user| named.get(*at) == Some(&user));
            if unknown.iter().any(is_caller) {
                return Failure::CallerInvalid;
            }
            let unknown: Vec<_> =
                unknown.iter().filter_map(|at| positions.get(*at).copied()).collect();
            Failure::Unknown(id_paths(&unknown))
        })
    }
}

/// The user without the PIN, if `actor` may not see it.
fn shown(actor: Actor, mut user: User) -> User {
    if let Actor::User { caller, .. } = actor
        && !may_see_pin(caller, &user)
    {
        user.employee_pin = None;
    }
    user
}

/// The paths of the ids of these entries, for example `[2].id`.
fn id_paths(entries: &[usize]) -> Vec<String> {
    entries.iter().map(|at| Path::Root.index(*at).field("id").to_string()).collect()
}
