//! Changes of a single action of a check-list.

use super::{CheckList, CheckListAction};
use crate::{
    shared::{
        check,
        edit::Target,
        error::EditError,
        fault::{Faults, Path, Refusal},
        ids::CheckListActionId,
        patch::{Patch, not_null},
        rules::Rules,
        version::Version,
    },
    task_execution::ActionType,
};

impl CheckList {
    /// One of its actions. Actions have no versions.
    ///
    /// # Errors
    /// `Missing`, `Stale`.
    pub fn action(&self, at: &Target<CheckListAction>) -> Result<&CheckListAction, EditError> {
        let action = self.actions.iter().find(|action| action.id == at.id);
        let action = action.ok_or(EditError::Missing)?;
        Version::NONE.check(at.expected)?;
        Ok(action)
    }

    /// The list with one more action, placed after those of the same order.
    #[must_use]
    pub fn plus(&self, action: CheckListAction) -> Self {
        let mut list = self.clone();
        list.actions.push(action);
        list.actions.sort_by_key(|action| action.order);
        list
    }

    /// The list after a change of one of its actions.
    #[must_use]
    pub fn with(&self, changed: &CheckListAction) -> Self {
        let mut list = self.clone();
        if let Some(action) = list.actions.iter_mut().find(|action| action.id == changed.id) {
            action.clone_from(changed);
        }
        list.actions.sort_by_key(|action| action.order);
        list
    }

    /// The list without one of its actions.
    #[must_use]
    pub fn without(&self, action: CheckListActionId) -> Self {
        let mut list = self.clone();
        list.actions.retain(|known| known.id != action);
        list
    }
}

/// The body of a PUT: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckListActionEdit {
    /// The name. Absent keeps the stored name; null is a fault.
    pub name: Patch<String>,
    /// The name of an [`ActionType`]; required.
    pub kind: Option<String>,
}

impl CheckListActionEdit {
    /// The action after the change. An action of another type than NUMBER loses its bounds.
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
        if let Some(name) = not_null(&mut faults, &at("name"), &self.name) {
            check::text(&mut faults, &at("name"), name, 1, rules.limits.name);
            next.name.clone_from(name);
        }
        let kind = check::required(&mut faults, &at("type"), self.kind.as_deref())
            .and_then(|kind| check::enum_value(&mut faults, &at("type"), kind));
        if let Some(kind) = kind {
            next.kind = kind;
        }
        if next.kind != ActionType::Number {
            (next.min_value, next.max_value) = (None, None);
        }
        faults.into_result(next)
    }
}
