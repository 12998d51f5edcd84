//! The use cases of records that are created from a draft.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, RecordService, rules};
use patrol_domain::{Limits, Target, location::Location, shared::drafted::MockRecords};

use crate::clock;

use super::{
    ports::{down, everything, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("list", [true, true, true]),
    ("get", [true, true, true]),
    ("create", [true, true, false]),
    ("replace", [true, true, false]),
    ("faults", [true, true, false]),
    ("dry_run", [true, true, false]),
    ("delete", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut port = MockRecords::<Location>::new();
    port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    port.expect_get().returning(|_| Err(down()));
    port.expect_create().returning(|_, _| Err(down().into()));
    port.expect_update().returning(|_, _| Err(down().into()));
    port.expect_delete().returning(|_, _| Err(down().into()));
    let service =
        RecordService::new(Arc::new(port), Context::new(clock(), ids(), rules(Limits::default())));
    let id = uuid(1).into();
    let at = Target::any_version(id);
    match what {
        "list" => service.list(actor, everything()).map(drop),
        "get" => service.get(actor, id).await.map(drop),
        "create" => service.create(actor, Default::default()).await.map(drop),
        "replace" => service.replace(actor, at, Default::default()).await.map(drop),
        "faults" => service.faults(actor, None, Default::default()).await.map(drop),
        "dry_run" => service.dry_run(actor, at, Default::default()).await.map(drop),
        "delete" => service.delete(actor, at).await,
        other => panic!("{other}"),
    }
}
