//! Users.

use std::sync::Arc;

use patrol_domain::{
    Named, Path, Refusal, Rules,
    access::{Caller, Role},
    ids::UserId,
    task_execution::Edit,
    user::{User, UserBatch, UserPatch, Users},
};

use crate::failure::Failure;

/// The use cases of users.
#[derive(Clone)]
pub struct UserService {
    users: Arc<dyn Users>,
    rules: Rules,
}

/// The members that an employee may change of itself.
const OWN_CONTACT: [&str; 3] = ["email", "phone", "language"];

impl UserService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(users: Arc<dyn Users>, rules: Rules) -> Self {
        Self { users, rules }
    }

    /// Whether the caller may send this body: `members` are its listed members, whatever their
    /// values, `role` is the role that it sets. An employee may change only its own contact data; a
    /// manager may not grant the role ADMIN.
    ///
    /// # Errors
    /// `Denied`.
    pub fn allow(
        caller: Caller,
        user: Option<UserId>,
        members: &[&str],
        role: Option<&str>,
    ) -> Result<(), Failure> {
        let allowed = match caller.role {
            Role::Admin => true,
            Role::Manager => role != Some(Role::Admin.name()),
            Role::Employee => {
                user == Some(caller.user)
                    && members.iter().all(|member| OWN_CONTACT.contains(member))
            }
        };
        if allowed { Ok(()) } else { Err(Refusal::Denied.into()) }
    }

    /// PATCH of one user.
    ///
    /// # Errors
    /// `NotFound`; `Denied` when a manager would change an administrator; `Refused`; `Store`.
    pub async fn patch(
        &self,
        caller: Caller,
        id: UserId,
        patch: UserPatch,
    ) -> Result<User, Failure> {
        let rules = self.rules;
        let edit = Edit {
            names: patch.references(&rules.limits),
            change: Box::new(move |user: &User, existing| {
                may_change(caller, user)?;
                patch.apply(user, existing, &rules)
            }),
        };
        Ok(self.users.update(id, edit).await?)
    }

    /// Changes many users, all or none. Returns them in the order of the entries.
    ///
    /// # Errors
    /// `Unknown` and `Repeated` with the paths of ids, `Refused`, `Store`.
    pub async fn patch_batch(
        &self,
        caller: Caller,
        batch: UserBatch,
    ) -> Result<Vec<User>, Failure> {
        let repeated = batch.repeated();
        if !repeated.is_empty() {
            return Err(Failure::Repeated(ids_at(&repeated)));
        }
        let rules = self.rules;
        let (ids, names) = (batch.ids()?, batch.references(&rules.limits));
        let changed = self
            .users
            .update_batch(
                ids,
                names,
                Box::new(move |users, existing| {
                    users.iter().try_for_each(|user| may_change(caller, user))?;
                    batch.apply(users, existing, &rules)
                }),
            )
            .await?;
        changed.map_err(|unknown| Failure::Unknown(ids_at(&unknown)))
    }
}

/// The paths of the ids of these entries.
fn ids_at(entries: &[usize]) -> Vec<String> {
    entries.iter().map(|at| Path::Root.index(*at).field("id").to_string()).collect()
}

/// A manager may not change an administrator.
pub(crate) fn may_change(caller: Caller, user: &User) -> Result<(), Refusal> {
    if caller.role == Role::Manager && user.role == Role::Admin {
        Err(Refusal::Denied)
    } else {
        Ok(())
    }
}
