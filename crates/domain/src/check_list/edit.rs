//! PUT of a check-list action (interface 4.4), and what it asks of a store.

use async_trait::async_trait;

use super::CheckListAction;
use crate::{
    shared::{
        check,
        error::EditError,
        fault::{Faults, Path, Refusal},
        ids::CheckListActionId,
        patch::{Patch, given},
        rules::Rules,
    },
    task_execution::{ActionType, Edit},
};

/// The body of a PUT, of the right types, not yet checked against any rule.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckListActionEdit {
    /// The name; an absent one stays, null is a fault (decisions 7).
    pub name: Patch<String>,
    /// The type; required.
    pub kind: Option<String>,
}

impl CheckListActionEdit {
    /// What `action` becomes. Only a NUMBER keeps its bounds.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members.
    pub fn apply(
        &self,
        action: &CheckListAction,
        rules: &Rules,
    ) -> Result<CheckListAction, Refusal> {
        let mut faults = Faults::new();
        let mut next = action.clone();
        let at = |name| Path::Root.field(name);
        if let Some(name) = given(&mut faults, &at("name"), &self.name) {
            check::text(&mut faults, &at("name"), name, 1, rules.limits.name);
            next.name.clone_from(name);
        }
        let kind = check::required(&mut faults, &at("type"), self.kind.as_deref())
            .and_then(|kind| check::named(&mut faults, &at("type"), kind));
        if let Some(kind) = kind {
            next.kind = kind;
        }
        if next.kind != ActionType::Number {
            (next.min_value, next.max_value) = (None, None);
        }
        faults.or(next)
    }
}

/// A store of check-list actions. Every method is one transaction. Executions that were made from
/// an action do not change with it (decisions 7).
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CheckListActions: Send + Sync {
    /// Loads the action, calls the change and stores what it returns.
    ///
    /// # Errors
    /// `Missing` when there is none, `Refused` with what the change says.
    async fn update(
        &self,
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
    ) -> Result<CheckListAction, EditError>;

    /// Removes the action.
    ///
    /// # Errors
    /// `Missing` when there is none.
    async fn delete(&self, id: CheckListActionId) -> Result<(), EditError>;
}
