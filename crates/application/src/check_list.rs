//! Check-list actions.

use std::sync::Arc;

use patrol_domain::{
    Clock, Rules,
    check_list::{CheckListAction, CheckListActionEdit, CheckListActions},
    ids::CheckListActionId,
    task_execution::Edit,
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

    /// PUT of an action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Refused`, `Store`.
    pub async fn edit(
        &self,
        actor: Actor,
        id: CheckListActionId,
        given: CheckListActionEdit,
    ) -> Result<CheckListAction, Failure> {
        permit(actor, Operation::Plan)?;
        let rules = self.rules;
        let edit = Edit {
            names: Default::default(),
            change: Box::new(move |action: &CheckListAction, _| {
                given.apply(action, &rules).map(Some)
            }),
        };
        Ok(self.actions.update(id, edit, actor.at(self.clock.now())).await?)
    }

    /// Removes the action.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    pub async fn delete(&self, actor: Actor, id: CheckListActionId) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.actions.delete(id, actor.at(self.clock.now())).await?)
    }
}
