//! The use cases of check-lists and their actions.

use std::sync::Arc;

use patrol_application::{Actor, CheckListService, Failure, rules};
use patrol_domain::{
    At, Limits,
    check_list::{MockCheckListActions, MockCheckLists},
    ids::{CheckListActionId, CheckListId},
};

use crate::clock;

use super::{
    ports::{down, everything, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("get", [true, true, true]),
    ("list", [true, true, true]),
    ("create", [true, true, false]),
    ("replace", [true, true, false]),
    ("delete", [true, true, false]),
    ("add_action", [true, true, false]),
    ("get_action", [true, true, true]),
    ("edit_action", [true, true, false]),
    ("delete_action", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let (mut lists, mut actions) = (MockCheckLists::new(), MockCheckListActions::new());
    lists.expect_get().returning(|_| Err(down()));
    lists.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    lists.expect_create().returning(|_, _| Err(down().into()));
    lists.expect_update().returning(|_, _| Err(down().into()));
    lists.expect_delete().returning(|_, _| Err(down().into()));
    lists.expect_add_action().returning(|_, _| Err(down().into()));
    actions.expect_update().returning(|_, _| Err(down().into()));
    actions.expect_delete().returning(|_, _| Err(down().into()));
    let service = CheckListService::new(
        Arc::new(lists),
        Arc::new(actions),
        clock(),
        ids(),
        rules(Limits::default()),
    );
    let (list, action) = (CheckListId(uuid(1)), CheckListActionId(uuid(1)));
    let at = At::any_version(list);
    match what {
        "get" => service.get(actor, list).await.map(drop),
        "list" => service.list(actor, everything()).map(drop),
        "create" => service.create(actor, Default::default()).await.map(drop),
        "replace" => service.replace(actor, at, Default::default()).await.map(drop),
        "delete" => service.delete(actor, at).await,
        "add_action" => service.add_action(actor, list, Default::default()).await.map(drop),
        "get_action" => service.get_action(actor, action).await.map(drop),
        "edit_action" => service.edit_action(actor, action, Default::default()).await.map(drop),
        "delete_action" => service.delete_action(actor, action).await,
        other => panic!("{other}"),
    }
}
