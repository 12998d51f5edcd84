//! The use cases of sessions, invitations and passwords.

use patrol_application::{Actor, Failure};
use patrol_domain::ids::UserId;

use crate::sign_in::World;

use super::{
    OTHER,
    ports::{down, users},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("sessions", [true, true, true]),
    ("end_session", [true, true, true]),
    ("end_other_sessions", [true, true, true]),
    ("invite", [true, false, false]),
    ("sign_out_user", [true, false, false]),
    ("remove_sign_in", [true, false, false]),
    ("last_sign_ins", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut world = World::new();
    world.users = users();
    world.sessions.expect_of_user().returning(|_| Err(down()));
    world.sessions.expect_end().returning(|_, _| Err(down()));
    world.sessions.expect_end_all().returning(|_, _| Err(down()));
    world.invitations.expect_create().returning(|_| Err(down().into()));
    world.passwords.expect_remove().returning(|_, _| Err(down().into()));
    world.passwords.expect_last_sign_ins().returning(|_| Err(down()));
    let (service, other) = (world.service(), UserId(uuid(OTHER)));
    match what {
        "sessions" => service.sessions(actor).await.map(drop),
        "end_session" => service.end_session(actor, uuid(1).into()).await,
        "end_other_sessions" => service.end_other_sessions(actor, uuid(1).into()).await.map(drop),
        "invite" => service.invite(actor, other).await.map(drop),
        "sign_out_user" => service.sign_out_user(actor, other).await.map(drop),
        "remove_sign_in" => service.remove_sign_in(actor, other).await,
        "last_sign_ins" => service.last_sign_ins(actor, &[other]).await.map(drop),
        other => panic!("{other}"),
    }
}
