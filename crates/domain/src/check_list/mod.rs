//! Check-lists: the templates from which the actions of executions are created.

mod draft;
mod edit;
mod list;
mod port;

pub use draft::{CheckListActionDraft, CheckListDraft, DraftUse};
pub use edit::CheckListActionEdit;
pub use list::{CheckListFilter, CheckListList, CheckListSort};
#[cfg(feature = "mock")]
pub use port::MockCheckListActions;
pub use port::{CheckListActions, MakeAction, NewAction};

use crate::{
    shared::ids::{CheckListActionId, CheckListId},
    task_execution::{ActionPlan, ActionType},
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
    /// The order of an action that comes after all others: 0 in an empty list.
    fn next_order(orders: impl Iterator<Item = i32>) -> i32 {
        orders.max().map_or(0, |last| last.saturating_add(1))
    }

    /// The approximate memory of the texts and actions, in bytes.
    fn heap_bytes(&self) -> usize {
        let names = self.actions.iter().map(|action| action.name.len());
        self.name.len() + size_of_val(self.actions.as_slice()) + names.sum::<usize>()
    }
}

/// The template for one action: one required or optional result.
pub type CheckListAction = ActionPlan<CheckListActionId>;

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
