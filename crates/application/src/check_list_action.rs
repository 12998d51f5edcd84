//! Actions of check-lists.

use std::sync::Arc;

use patrol_domain::{
    Clock, Edit, Ids, Rules, Target,
    check_list::{
        CheckListAction, CheckListActionDraft, CheckListActionEdit, CheckListActions, NewAction,
    },
    ids::{CheckListActionId, CheckListId},
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of the actions of check-lists.
#[derive(Clone)]
pub struct CheckListActionService {
    actions: Arc<dyn CheckListActions>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

impl CheckListActionService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        actions: Arc<dyn CheckListActions>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { actions, clock, ids, rules }
    }

    /// POST of an action: adds it to the check-list.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list_action.add", skip_all)]
    pub async fn add(
        &self,
        actor: Actor,
        list: CheckListId,
        draft: CheckListActionDraft,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Plan)?;
        let (ids, rules) = (Arc::clone(&self.ids), self.rules);
        let new = NewAction {
            list,
            references: draft.references(),
            make: Box::new(move |list, existing| draft.check_for(list, existing, &*ids, &rules)),
        };
        Ok(self.actions.add(new, actor.origin_at(self.clock.now())).await?)
    }

    /// One action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list_action.get", skip_all)]
    pub async fn get(
        &self,
        actor: Actor,
        id: CheckListActionId,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Read)?;
        let unchanged = Edit {
            at: Target::any_version(id),
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
    #[tracing::instrument(target = "patrol::trace", name = "check_list_action.edit", skip_all)]
    pub async fn edit(
        &self,
        actor: Actor,
        id: CheckListActionId,
        put: CheckListActionEdit,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Plan)?;
        let rules = self.rules;
        let edit = Edit {
            at: Target::any_version(id),
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
    #[tracing::instrument(target = "patrol::trace", name = "check_list_action.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, id: CheckListActionId) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        let by = actor.origin_at(self.clock.now());
        Ok(self.actions.delete(Target::any_version(id), by).await?)
    }
}
