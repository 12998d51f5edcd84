//! The ports of check-lists and of their actions.

use async_trait::async_trait;

use super::{CheckList, CheckListAction, CheckListList};
use crate::{
    event::Origin,
    shared::{
        error::EditError,
        existing::{Existing, References},
        fault::Refusal,
        identified::Identified,
        ids::{CheckListActionId, CheckListId},
        records::{Create, Delete, Get, List, Update},
    },
};

impl Identified for CheckList {
    type Id = CheckListId;
    const HAS_VERSIONS: bool = true;
}

impl Identified for CheckListAction {
    type Id = CheckListActionId;
}

/// Makes one more action of a check-list. Pure, because a store may call the function more than once.
pub type MakeAction =
    Box<dyn Fn(&CheckList, &Existing) -> Result<CheckListAction, Refusal> + Send + Sync + 'static>;

/// One more action of a check-list.
pub struct NewAction {
    /// The check-list.
    pub list: CheckListId,
    /// The records and values that the store looks up first.
    pub references: References,
    /// Makes the action.
    pub make: MakeAction,
}

/// A store of check-lists. No change affects executions that were created from a check-list. Changes
/// of a check-list and of its actions run one after another.
#[async_trait]
pub trait CheckLists:
    Get<CheckList> + Create<CheckList> + Update<CheckList> + Delete<CheckList> + List<CheckListList>
{
    /// Adds an action, which gives the check-list its next version. The event is an event of the
    /// check-list. For a request with an `Idempotency-Key`, the action is stored as the changed
    /// record.
    ///
    /// # Errors
    /// `Missing` when the check-list does not exist, `Refused` with the refusal of `new.make`.
    async fn add_action(&self, new: NewAction, by: Origin) -> Result<CheckListAction, EditError>;
}

/// A store of check-list actions. A change does not affect executions that were created from the
/// check-list. It gives the check-list its next version, and its event is an event of the check-list.
pub trait CheckListActions: Update<CheckListAction> + Delete<CheckListAction> {}

impl<S: Update<CheckListAction> + Delete<CheckListAction>> CheckListActions for S {}

#[cfg(feature = "mock")]
mod mocks {
    use super::*;

    pub use self::{actions::MockCheckListActions, lists::MockCheckLists};

    mod lists {
        use super::*;

        crate::shared::records::mock_port! {
            CheckLists: Get<CheckList> Create<CheckList> Update<CheckList> Delete<CheckList>
                List<CheckListList>
            {
                async fn add_action(new: NewAction, by: Origin) -> [Result<CheckListAction, EditError>];
            }
        }
    }

    mod actions {
        use super::*;

        crate::shared::records::mock_port! {
            CheckListActions: Update<CheckListAction> Delete<CheckListAction>
        }
    }
}

#[cfg(feature = "mock")]
pub use mocks::{MockCheckListActions, MockCheckLists};
