//! The use cases of users.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, UserService, rules};
use patrol_domain::{
    Limits, Patch, Target,
    user::{BatchEntry, UserBatch, UserDraft, UserPatch},
};

use crate::clock;

use super::{
    OTHER, OWN,
    ports::{everything, ids, users},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("get", [true, true, true]),
    ("list", [true, true, true]),
    ("create", [true, true, false]),
    ("create ADMIN", [true, false, false]),
    ("delete", [true, false, false]),
    ("patch own phone", [true, true, true]),
    ("patch own name", [true, true, false]),
    ("patch other phone", [true, true, false]),
    ("patch to ADMIN", [true, false, false]),
    ("patch_batch", [true, true, false]),
    ("patch_batch to ADMIN", [true, false, false]),
    ("dry_run_batch", [true, true, false]),
    ("dry_run_batch to ADMIN", [true, false, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let service =
        UserService::new(Arc::new(users()), Context::new(clock(), ids(), rules(Limits::default())));
    let text = |text: &str| Patch::Value(text.to_owned());
    let phone = UserPatch { phone: text("1"), ..UserPatch::default() };
    let name = UserPatch { first_name: text("Ada"), ..UserPatch::default() };
    let role = UserPatch { role: text("ADMIN"), ..UserPatch::default() };
    let batch = |patch| UserBatch(vec![BatchEntry { id: Some(uuid(OTHER).into()), patch }]);
    let (own, other) = (uuid(OWN).into(), uuid(OTHER).into());
    match what {
        "get" => service.get(actor, other).await.map(drop),
        "list" => service.list(actor, everything()).map(drop),
        "create" => service.create(actor, UserDraft::default()).await.map(drop),
        "create ADMIN" => {
            let role = Some("ADMIN".to_owned());
            let draft = UserDraft { role, ..UserDraft::default() };
            service.create(actor, draft).await.map(drop)
        }
        "delete" => service.delete(actor, Target::any_version(other)).await,
        "patch own phone" => service.patch(actor, Target::any_version(own), phone).await.map(drop),
        "patch own name" => service.patch(actor, Target::any_version(own), name).await.map(drop),
        "patch other phone" => {
            service.patch(actor, Target::any_version(other), phone).await.map(drop)
        }
        "patch to ADMIN" => service.patch(actor, Target::any_version(other), role).await.map(drop),
        "patch_batch" => service.patch_batch(actor, batch(name)).await.map(drop),
        "dry_run_batch" => service.dry_run_batch(actor, batch(name)).await.map(drop),
        "dry_run_batch to ADMIN" => service.dry_run_batch(actor, batch(role)).await.map(drop),
        "patch_batch to ADMIN" => service.patch_batch(actor, batch(role)).await.map(drop),
        other => panic!("{other}"),
    }
}
