//! Check-list actions.

use std::sync::Arc;

use patrol_domain::{
    Rules,
    check_list::{CheckListAction, CheckListActionEdit, CheckListActions},
    ids::CheckListActionId,
    task_execution::Edit,
};

use crate::failure::Failure;

/// The use cases of check-list actions.
#[derive(Clone)]
pub struct CheckListService {
    actions: Arc<dyn CheckListActions>,
    rules: Rules,
}

impl CheckListService {
    /// Use cases that work with this store.
    #[must_use]
    pub fn new(actions: Arc<dyn CheckListActions>, rules: Rules) -> Self {
        Self { actions, rules }
    }

    /// PUT of an action.
    ///
    /// # Errors
    /// `NotFound`, `Refused`, `Store`.
    pub async fn edit(
        &self,
        id: CheckListActionId,
        given: CheckListActionEdit,
    ) -> Result<CheckListAction, Failure> {
        let rules = self.rules;
        let edit = Edit {
            names: Default::default(),
            change: Box::new(move |action: &CheckListAction, _| {
                given.apply(action, &rules).map(Some)
            }),
        };
        Ok(self.actions.update(id, edit).await?)
    }

    /// Removes the action.
    ///
    /// # Errors
    /// `NotFound`, `Store`.
    pub async fn delete(&self, id: CheckListActionId) -> Result<(), Failure> {
        Ok(self.actions.delete(id).await?)
    }
}
