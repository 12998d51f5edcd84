//! PUT of a check-list action.

use super::CheckListAction;
use crate::{
    shared::{
        check,
        fault::{Faults, Path, Refusal},
        patch::{Patch, not_null},
        rules::Rules,
    },
    task_execution::ActionType,
};

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
