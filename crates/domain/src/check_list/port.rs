//! The port of the actions of check-lists.

use async_trait::async_trait;

use super::{CheckList, CheckListAction};
use crate::{
    event::Origin,
    shared::{
        error::EditError,
        existing::{Existing, References},
        fault::Refusal,
        identified::Identified,
        ids::{CheckListActionId, CheckListId},
        records::{Delete, Update},
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

/// A store of check-list actions. A change does not affect executions that were created from the
/// check-list. It gives the check-list its next version, and its event is an event of the check-list.
/// Changes of a check-list and of its actions run one after another.
#[async_trait]
pub trait CheckListActions: Update<CheckListAction> + Delete<CheckListAction> {
    /// Adds an action to a check-list. For a request with an `Idempotency-Key`, the action is stored as
    /// the changed record.
    ///
    /// # Errors
    /// `Missing` when the check-list does not exist, `Refused` with the refusal of `new.make`.
    async fn add(&self, new: NewAction, by: Origin) -> Result<CheckListAction, EditError>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    CheckListActions: Update<CheckListAction> Delete<CheckListAction> {
        async fn add(new: NewAction, by: Origin) -> [Result<CheckListAction, EditError>];
    }
}
