//! The use cases of task executions.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, TaskExecutionService, rules};
use patrol_domain::{Limits, Target, task_execution::MockTaskExecutions};

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
    ("patch", [true, true, false]),
    ("delete", [true, true, false]),
    ("copy", [true, true, false]),
    ("copy_to", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut port = MockTaskExecutions::new();
    port.expect_get().returning(|_| Err(down()));
    port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    port.expect_create().returning(|_, _| Err(down().into()));
    port.expect_update().returning(|_, _| Err(down().into()));
    port.expect_delete().returning(|_, _| Err(down().into()));
    port.expect_copy().returning(|_, _| Err(down().into()));
    let service = TaskExecutionService::new(
        Arc::new(port),
        Context::new(clock(), ids(), rules(Limits::default())),
    );
    let id = uuid(1).into();
    let at = Target::any_version(id);
    match what {
        "get" => service.get(actor, id).await.map(drop),
        "list" => service.list(actor, everything()).map(drop),
        "create" => service.create(actor, Default::default()).await.map(drop),
        "replace" => service.replace(actor, at, Default::default()).await.map(drop),
        "patch" => service.patch(actor, at, Default::default()).await.map(drop),
        "delete" => service.delete(actor, at).await,
        "copy" => service.copy(actor, id, Default::default()).await.map(drop),
        "copy_to" => service.copy_to(actor, id, None).await.map(drop),
        other => panic!("{other}"),
    }
}
