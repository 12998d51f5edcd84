//! PUT of a check-list action, and the port that stores it.

use async_trait::async_trait;

use super::CheckListAction;
use crate::{
    event::Origin,
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

/// The body of a PUT: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckListActionEdit {
    /// The name. When absent the stored name stays; null is a fault.
    pub name: Patch<String>,
    /// The name of an [`ActionType`]; required.
    pub kind: Option<String>,
}

impl CheckListActionEdit {
    /// The action after the change. Only a NUMBER keeps its bounds.
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

/// A store of check-list actions. Every method is one transaction. Executions that were created
/// from an action do not change with it. An event of an action is one of its check-list.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait CheckListActions: Send + Sync {
    /// Loads the action, calls the change and stores the result.
    ///
    /// # Errors
    /// `Missing` when there is no such action, `Refused` with the refusal of the change.
    async fn update(
        &self,
        id: CheckListActionId,
        edit: Edit<CheckListAction>,
        by: Origin,
    ) -> Result<CheckListAction, EditError>;

    /// Removes the action.
    ///
    /// # Errors
    /// `Missing` when there is no such action.
    async fn delete(&self, id: CheckListActionId, by: Origin) -> Result<(), EditError>;
}
