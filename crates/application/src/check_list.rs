//! Check-list actions.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Edit, Rules,
    check_list::{CheckListAction, CheckListActionEdit, CheckListActions},
    ids::CheckListActionId,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of check-list actions.
#[derive(Clone)]
pub struct CheckListService {
    actions: Arc<dyn CheckListActions>,
    clock: Arc<dyn Clock>,
    rules: Rules,
}

impl CheckListService {
    /// Use cases that work with this store.
    #[must_use]
    pub fn new(actions: Arc<dyn CheckListActions>, clock: Arc<dyn Clock>, rules: Rules) -> Self {
        Self { actions, clock, rules }
    }

    /// The action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.get", skip_all)]
    pub async fn get(
        &self,
        actor: Actor,
        id: CheckListActionId,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Read)?;
        let unchanged = Edit {
            at: At::any_version(id),
            references: Default::default(),
            change: Box::new(|_: &CheckListAction, _| Ok(None)),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.update(unchanged, by).await?.record)
    }

    /// PUT: changes the name and the type of an action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.edit", skip_all)]
    pub async fn edit(
        &self,
        actor: Actor,
        id: CheckListActionId,
        put: CheckListActionEdit,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Plan)?;
        let rules = self.rules;
        let edit = Edit {
            at: At::any_version(id),
            references: Default::default(),
            change: Box::new(move |action: &CheckListAction, _| {
                put.apply(action, &rules).map(Some)
            }),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.update(edit, by).await?.record)
    }

    /// Deletes the action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, id: CheckListActionId) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.delete(At::any_version(id), by).await?)
    }
}
