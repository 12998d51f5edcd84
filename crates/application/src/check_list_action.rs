//! Actions of check-lists.

use std::sync::Arc;

use patrol_domain::{
    Edit, Target,
    check_list::{
        CheckListAction, CheckListActionDraft, CheckListActionEdit, CheckListActions, NewAction,
    },
    ids::{CheckListActionId, CheckListId},
};

use crate::{
    context::Context,
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of the actions of check-lists.
#[derive(Clone)]
pub struct CheckListActionService {
    actions: Arc<dyn CheckListActions>,
    context: Context,
}

impl CheckListActionService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(actions: Arc<dyn CheckListActions>, context: Context) -> Self {
        Self { actions, context }
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
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        let new = NewAction {
            list,
            references: draft.references(),
            make: Box::new(move |list, existing| draft.check_for(list, existing, &*ids, &rules)),
        };
        Ok(self.actions.add(new, self.context.origin(actor)).await?)
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
        let by = self.context.origin(actor);
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
        let rules = self.context.rules;
        let edit = Edit {
            at: Target::any_version(id),
            references: Default::default(),
            change: Box::new(move |action: &CheckListAction, _| {
                put.apply(action, &rules).map(Some)
            }),
        };
        let by = self.context.origin(actor);
        Ok(self.actions.update(edit, by).await?.record)
    }

    /// Deletes the action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "check_list_action.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, id: CheckListActionId) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        let by = self.context.origin(actor);
        Ok(self.actions.delete(Target::any_version(id), by).await?)
    }
}
