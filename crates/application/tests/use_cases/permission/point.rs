//! The use cases of points.

use std::sync::Arc;

use patrol_application::{Actor, Failure, PointService, rules};
use patrol_domain::{
    At, Limits,
    point::{MockPointLists, MockPoints},
};

use crate::clock;

use super::{
    ports::{down, everything, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("get", [true, true, true]),
    ("list", [true, true, true]),
    ("history", [true, true, true]),
    ("create", [true, true, false]),
    ("replace", [true, true, false]),
    ("delete", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut port = MockPoints::new();
    port.expect_get().returning(|_| Err(down()));
    port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    port.expect_create().returning(|_, _| Err(down().into()));
    port.expect_update().returning(|_, _| Err(down().into()));
    port.expect_delete().returning(|_, _| Err(down().into()));
    let mut lists = MockPointLists::new();
    lists.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    let service = PointService::new(
        Arc::new(port),
        Arc::new(lists),
        clock(),
        ids(),
        rules(Limits::default()),
    );
    let id = uuid(1).into();
    let at = At::any_version(id);
    match what {
        "get" => service.get(actor, id).await.map(drop),
        "list" => service.list(actor, everything()).map(drop),
        "history" => service.history(actor, everything()).map(drop),
        "create" => service.create(actor, Default::default()).await.map(drop),
        "replace" => service.replace(actor, at, Default::default()).await.map(drop),
        "delete" => service.delete(actor, at).await,
        other => panic!("{other}"),
    }
}
