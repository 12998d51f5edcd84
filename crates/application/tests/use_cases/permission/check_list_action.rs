//! The use cases of the actions of check-lists.

use std::sync::Arc;

use patrol_application::{Actor, CheckListActionService, Context, Failure, rules};
use patrol_domain::{
    Limits,
    check_list::MockCheckListActions,
    ids::{CheckListActionId, CheckListId},
};

use crate::clock;

use super::{
    ports::{down, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("add", [true, true, false]),
    ("get", [true, true, true]),
    ("edit", [true, true, false]),
    ("delete", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut actions = MockCheckListActions::new();
    actions.expect_add().returning(|_, _| Err(down().into()));
    actions.expect_update().returning(|_, _| Err(down().into()));
    actions.expect_delete().returning(|_, _| Err(down().into()));
    let rules = rules(Limits::default());
    let service =
        CheckListActionService::new(Arc::new(actions), Context::new(clock(), ids(), rules));
    let (list, action) = (CheckListId(uuid(1)), CheckListActionId(uuid(1)));
    match what {
        "add" => service.add(actor, list, Default::default()).await.map(drop),
        "get" => service.get(actor, action).await.map(drop),
        "edit" => service.edit(actor, action, Default::default()).await.map(drop),
        "delete" => service.delete(actor, action).await,
        other => panic!("{other}"),
    }
}
