//! Check-lists: the templates from which the actions of executions are created.

mod edit;

#[cfg(feature = "mock")]
pub use edit::MockCheckListActions;
pub use edit::{CheckListActionEdit, CheckListActions};

use std::collections::HashSet;

use crate::{
    shared::{
        check,
        edit::At,
        error::EditError,
        fault::{Faults, Path, Refusal, Rule},
        ids::{CheckListActionId, CheckListId},
        rules::Rules,
        version::Version,
    },
    task_execution::ActionType,
};

/// A template for the actions of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckList {
    /// Unique among check-lists; never changes.
    pub id: CheckListId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// Sorted by `order`.
    pub actions: Vec<CheckListAction>,
}

impl CheckList {
    /// One of its actions. Actions have no versions.
    ///
    /// # Errors
    /// `Missing`, `Stale`.
    pub fn action(&self, at: &At<CheckListAction>) -> Result<&CheckListAction, EditError> {
        let action = self.actions.iter().find(|action| action.id == at.id);
        let action = action.ok_or(EditError::Missing)?;
        Version::NONE.check(at.expected)?;
        Ok(action)
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

/// The template for one action: one required or optional result.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckListAction {
    /// Unique among the actions of all check-lists; never changes.
    pub id: CheckListActionId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The type of the result.
    pub kind: ActionType,
    /// The position in the check-list. Equal positions are allowed.
    pub order: i32,
    /// Whether a missing or failed result is an ERROR. A failed result of an optional action is a
    /// WARNING.
    pub required: bool,
    /// The smallest reading that passes; only NUMBER has one.
    pub min_value: Option<f64>,
    /// The greatest reading that passes; only NUMBER has one.
    pub max_value: Option<f64>,
}

impl CheckListAction {
    /// An optional action without bounds, at position 0.
    pub fn new(id: CheckListActionId, name: impl Into<String>, kind: ActionType) -> Self {
        Self {
            id,
            name: name.into(),
            kind,
            order: 0,
            required: false,
            min_value: None,
            max_value: None,
        }
    }
}

/// A check-list of the data set: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct CheckListDraft {
    pub id: Option<CheckListId>,
    pub name: Option<String>,
    pub actions: Vec<CheckListActionDraft>,
}

/// An action of a [`CheckListDraft`].
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct CheckListActionDraft {
    pub id: Option<CheckListActionId>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub order: Option<i64>,
    pub required: bool,
    pub min_value: Option<f64>,
    pub max_value: Option<f64>,
}

impl CheckListDraft {
    /// The check-list, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<CheckList, Refusal> {
        let mut faults = Faults::new();
        let check_list = self.checked(&mut faults, rules);
        check_list.ok_or_else(|| Refusal::Invalid(faults.into_vec()))
    }

    fn checked(&self, faults: &mut Faults, rules: &Rules) -> Option<CheckList> {
        let limits = &rules.limits;
        let id = check::required(faults, &Path::Root.field("id"), self.id);
        let name = check::name(faults, &Path::Root.field("name"), self.name.as_deref(), limits);
        let path = Path::Root.field("actions");
        check::list_length(faults, &path, self.actions.len(), limits.actions);
        let mut seen = HashSet::new();
        let actions: Vec<_> = self
            .actions
            .iter()
            .enumerate()
            .map(|(at, action)| {
                let path = path.index(at);
                if action.id.is_some_and(|id| !seen.insert(id)) {
                    faults.push(&path.field("id"), Rule::Unique);
                }
                action.checked(faults, &path, at, rules)
            })
            .collect();
        let mut actions: Vec<_> = actions.into_iter().collect::<Option<_>>()?;
        actions.sort_by_key(|action| action.order);
        Some(CheckList { id: id?, name: name?, actions }).filter(|_| faults.is_empty())
    }
}

impl CheckListActionDraft {
    fn checked(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        at: usize,
        rules: &Rules,
    ) -> Option<CheckListAction> {
        let id = check::required(faults, &path.field("id"), self.id);
        let name = check::name(faults, &path.field("name"), self.name.as_deref(), &rules.limits);
        let kind = check::required(faults, &path.field("type"), self.kind.as_deref())
            .and_then(|kind| check::enum_value(faults, &path.field("type"), kind));
        let order = check::order(faults, path, self.order, at);
        let kind = kind?;
        let bound = |value: Option<f64>| value.filter(|_| kind == ActionType::Number);
        Some(CheckListAction {
            id: id?,
            name: name?,
            kind,
            order: order?,
            required: self.required,
            min_value: bound(self.min_value),
            max_value: bound(self.max_value),
        })
    }
}
