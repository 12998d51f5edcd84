//! Which role may do what: every use case is called with every role.

use std::{collections::BTreeSet, sync::Arc};

use patrol_application::{
    AccessService, Actor, CheckListService, EventService, Failure, LocationService, PhotoService,
    PointService, SeriesService, TaskExecutionService, TokenDraft, UserService, rules,
};
use patrol_domain::{
    At, Limits, Patch, Refusal, StoreError, Timestamp, Versioned,
    access::{Caller, MockSecretGenerator, MockTokens, Role},
    check_list::MockCheckListActions,
    event::{EventQuery, MockEvents},
    ids::{PointId, TokenId, UserId, Uuid},
    list::{Condition, Listed, Page, Query},
    location::MockLocations,
    photo::{ImageError, MockImages, MockPhotos, MockUserPhotos},
    point::MockPoints,
    series::MockSeries,
    shared::ports::MockIds,
    task_execution::MockTaskExecutions,
    user::{BatchEntry, MockUsers, User, UserBatch, UserDraft, UserPatch},
};

use crate::{ACTOR, clock, sign_in::World, user::user};

/// The callers, in the order of the columns below.
const ROLES: [Role; 3] = [Role::Admin, Role::Manager, Role::Employee];

/// The caller's own id.
const OWN: u128 = 1;
/// Another user, who is an employee.
const OTHER: u128 = 2;
/// Another user, who is an administrator.
const ADMIN: u128 = 3;

/// Each use case, its arguments, and which of the roles administrator, manager and employee may
/// execute it.
const PERMISSIONS: &[(&str, &str, [bool; 3])] = &[
    ("task_execution", "get", [true, true, true]),
    ("task_execution", "list", [true, true, true]),
    ("task_execution", "replace", [true, true, false]),
    ("task_execution", "patch", [true, true, false]),
    ("task_execution", "delete", [true, true, false]),
    ("task_execution", "copy", [true, true, false]),
    ("series", "split", [true, true, false]),
    ("location", "list", [true, true, true]),
    ("point", "get", [true, true, true]),
    ("point", "history", [true, true, true]),
    ("point", "create", [true, true, false]),
    ("point", "replace", [true, true, false]),
    ("point", "delete", [true, true, false]),
    ("check_list", "get", [true, true, true]),
    ("check_list", "edit", [true, true, false]),
    ("check_list", "delete", [true, true, false]),
    ("event", "page", [true, true, false]),
    ("event", "of_record", [true, true, true]),
    ("event", "page_of", [true, true, true]),
    ("event", "newest", [true, true, true]),
    ("user", "get", [true, true, true]),
    ("user", "list", [true, true, true]),
    ("user", "create", [true, true, false]),
    ("user", "create ADMIN", [true, false, false]),
    ("user", "delete", [true, false, false]),
    ("user", "patch own phone", [true, true, true]),
    ("user", "patch own name", [true, true, false]),
    ("user", "patch other phone", [true, true, false]),
    ("user", "patch to ADMIN", [true, false, false]),
    ("user", "patch_batch", [true, true, false]),
    ("user", "patch_batch to ADMIN", [true, false, false]),
    ("user", "rehearse_batch", [true, true, false]),
    ("user", "rehearse_batch to ADMIN", [true, false, false]),
    ("photo", "current", [true, true, true]),
    ("photo", "get", [true, true, true]),
    ("photo", "permit_change own", [true, true, true]),
    ("photo", "replace own", [true, true, true]),
    ("photo", "replace other", [true, true, false]),
    ("photo", "replace administrator", [true, false, false]),
    ("photo", "delete own", [true, true, true]),
    ("photo", "delete other", [true, true, false]),
    ("photo", "delete administrator", [true, false, false]),
    ("access", "issue own", [true, true, true]),
    ("access", "issue other", [true, false, false]),
    ("access", "list own", [true, true, true]),
    ("access", "list other", [true, false, false]),
    ("access", "list_all", [true, false, false]),
    ("access", "get own", [true, true, true]),
    ("access", "get other", [true, false, false]),
    ("access", "revoke own", [true, true, true]),
    ("access", "revoke other", [true, false, false]),
    ("sign_in", "sessions", [true, true, true]),
    ("sign_in", "end_session", [true, true, true]),
    ("sign_in", "end_other_sessions", [true, true, true]),
    ("sign_in", "invite", [true, false, false]),
    ("sign_in", "sign_out_user", [true, false, false]),
    ("sign_in", "remove_sign_in", [true, false, false]),
    ("sign_in", "last_sign_ins", [true, false, false]),
];

/// Use cases of people who are not signed in yet, or who prove who they are by a secret.
const WITHOUT_A_CALLER: [&str; 6] =
    ["sign_in", "session", "sign_out", "change_password", "invitation", "accept_invitation"];

fn down() -> StoreError {
    StoreError::Unavailable("down".to_owned())
}

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn known(id: UserId) -> User {
    let number = id.0.as_u128();
    let role = if number == ADMIN { Role::Admin } else { Role::Employee };
    User { role, ..user(number) }
}

fn everything<L: Listed>() -> Query<L> {
    Query {
        condition: Condition::All(Vec::new()),
        search: None,
        sort: Vec::new(),
        page: Page::default(),
        in_parts: false,
        now: Timestamp::from_millis(0).unwrap(),
    }
}

/// Calls the use case. All calls of the store fail, except reads of users.
async fn call(actor: Actor, feature: &str, what: &str) -> Result<(), Failure> {
    let rules = rules(Limits::default());
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| uuid(9));
    let (clock, ids) = (clock(), Arc::new(ids));
    let mut users = MockUsers::new();
    users.expect_get().returning(|id| Ok(Some(Versioned::unversioned(known(id)))));
    users.expect_remove().returning(|_, _| Err(down().into()));
    users.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    users.expect_create().returning(|_, _| Err(down().into()));
    users.expect_update().returning(|_, _| Err(down().into()));
    users.expect_update_batch().returning(|_, _| Err(down().into()));
    match feature {
        "task_execution" => {
            let mut port = MockTaskExecutions::new();
            port.expect_get().returning(|_| Err(down()));
            port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            port.expect_copy().returning(|_, _| Err(down().into()));
            let service = TaskExecutionService::new(Arc::new(port), clock, ids, rules);
            let id = uuid(1).into();
            let at = At::any_version(id);
            match what {
                "get" => service.get(actor, id).await.map(drop),
                "list" => service.list(actor, everything()).map(drop),
                "replace" => service.replace(actor, at, Default::default()).await.map(drop),
                "patch" => service.patch(actor, at, Default::default()).await.map(drop),
                "delete" => service.delete(actor, at).await,
                "copy" => service.copy(actor, id, Default::default()).await.map(drop),
                other => panic!("{other}"),
            }
        }
        "series" => {
            let mut port = MockSeries::new();
            port.expect_split().returning(|_, _| Err(down().into()));
            let service = SeriesService::new(Arc::new(port), clock, ids, rules);
            let from = At::any_version(uuid(1).into());
            service.split(actor, from, Default::default()).await.map(drop)
        }
        "location" => {
            let mut port = MockLocations::new();
            port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            LocationService::new(Arc::new(port)).list(actor, everything()).map(drop)
        }
        "point" => {
            let mut port = MockPoints::new();
            port.expect_get().returning(|_| Err(down()));
            port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            port.expect_create().returning(|_, _| Err(down().into()));
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            let service = PointService::new(Arc::new(port), clock, ids, rules);
            let id = uuid(1).into();
            match what {
                "get" => service.get(actor, id).await.map(drop),
                "history" => service.history(actor, everything()).map(drop),
                "create" => service.create(actor, Default::default()).await.map(drop),
                "replace" => service.replace(actor, id, Default::default()).await.map(drop),
                "delete" => service.delete(actor, id).await,
                other => panic!("{other}"),
            }
        }
        "check_list" => {
            let mut port = MockCheckListActions::new();
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            let service = CheckListService::new(Arc::new(port), clock, rules);
            match what {
                "get" => service.get(actor, uuid(1).into()).await.map(drop),
                "edit" => service.edit(actor, uuid(1).into(), Default::default()).await.map(drop),
                "delete" => service.delete(actor, uuid(1).into()).await,
                other => panic!("{other}"),
            }
        }
        "event" => {
            let mut events = MockEvents::new();
            events.expect_page().returning(|_| Err(down()));
            events.expect_newest().returning(|| Err(down()));
            events.expect_is_stored().returning(|_| Err(down()));
            let service = EventService::new(Arc::new(events), clock);
            let query = EventQuery { after: 0, limit: 1, condition: Condition::All(Vec::new()) };
            match what {
                "page" => service.page(actor, query).await.map(drop),
                "of_record" => service.of_record(actor, PointId(uuid(1))).await.map(drop),
                "page_of" => {
                    let of = service.of_record(ACTOR, PointId(uuid(2))).await?;
                    service.page_of(actor, &of, query).await.map(drop)
                }
                "newest" => service.newest(actor).await.map(drop),
                other => panic!("{other}"),
            }
        }
        "user" => {
            let service = UserService::new(Arc::new(users), clock, ids, rules);
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
                "delete" => service.delete(actor, At::any_version(other)).await,
                "patch own phone" => {
                    service.patch(actor, At::any_version(own), phone).await.map(drop)
                }
                "patch own name" => {
                    service.patch(actor, At::any_version(own), name).await.map(drop)
                }
                "patch other phone" => {
                    service.patch(actor, At::any_version(other), phone).await.map(drop)
                }
                "patch to ADMIN" => {
                    service.patch(actor, At::any_version(other), role).await.map(drop)
                }
                "patch_batch" => service.patch_batch(actor, batch(name)).await.map(drop),
                "rehearse_batch" => service.rehearse_batch(actor, batch(name)).await.map(drop),
                "rehearse_batch to ADMIN" => {
                    service.rehearse_batch(actor, batch(role)).await.map(drop)
                }
                "patch_batch to ADMIN" => service.patch_batch(actor, batch(role)).await.map(drop),
                other => panic!("{other}"),
            }
        }
        "photo" => {
            let (mut user_photos, mut images) = (MockUserPhotos::new(), MockImages::new());
            user_photos.expect_set().returning(|_, _, _| Err(down().into()));
            images.expect_clean().returning(|_| Err(ImageError::Unusable));
            let service = PhotoService::new(
                Arc::new(users),
                Arc::new(user_photos),
                Arc::new(MockPhotos::new()),
                Arc::new(images),
                clock,
                ids,
            );
            let id = UserId(uuid(match what.split(' ').nth(1) {
                Some("other") => OTHER,
                Some("administrator") => ADMIN,
                _ => OWN,
            }));
            match what.split(' ').next().unwrap() {
                "current" => service.current(actor, id).await.map(drop),
                "get" => service.get(actor, id).await.map(drop),
                "permit_change" => service.permit_change(actor, id).await,
                "replace" => service.replace(actor, id, Vec::new()).await.map(drop),
                "delete" => service.delete(actor, id).await,
                other => panic!("{other}"),
            }
        }
        "access" => {
            let (mut tokens, mut secrets) = (MockTokens::new(), MockSecretGenerator::new());
            let owner = if what.ends_with("own") { OWN } else { OTHER };
            tokens.expect_get().returning(move |_| {
                let token = crate::access::token_of(UserId(uuid(owner)));
                Ok(Some(Versioned::unversioned(token)))
            });
            tokens.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            tokens.expect_delete().returning(|_, _| Err(down().into()));
            secrets.expect_generate().returning(|| Err(down()));
            let service = AccessService::new(
                Arc::new(tokens),
                Arc::new(users),
                Arc::new(secrets),
                clock,
                ids,
                rules,
            );
            let user_id = Some(UserId(uuid(owner)));
            let draft = TokenDraft { name: Some("x".to_owned()), user_id, expires_at: None };
            match what.split(' ').next().unwrap() {
                "issue" => service.issue(actor, draft).await.map(drop),
                "list" => service.list(actor, user_id, everything()).map(drop),
                "list_all" => service.list_all(actor, everything()).map(drop),
                "get" => service.get(actor, TokenId(uuid(1))).await.map(drop),
                "revoke" => service.revoke(actor, TokenId(uuid(1))).await,
                other => panic!("{other}"),
            }
        }
        "sign_in" => {
            let mut world = World::new();
            world.users = users;
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
                "end_other_sessions" => {
                    service.end_other_sessions(actor, uuid(1).into()).await.map(drop)
                }
                "invite" => service.invite(actor, other).await.map(drop),
                "sign_out_user" => service.sign_out_user(actor, other).await.map(drop),
                "remove_sign_in" => service.remove_sign_in(actor, other).await,
                "last_sign_ins" => service.last_sign_ins(actor, &[other]).await.map(drop),
                other => panic!("{other}"),
            }
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn every_use_case_checks_the_permission_of_every_role() {
    let denied = Err(Failure::Refused(Refusal::Denied));
    for (feature, what, permitted) in PERMISSIONS {
        for (role, permitted) in ROLES.into_iter().zip(*permitted) {
            let actor = Caller { user: UserId(uuid(OWN)), role, token: None }.into();
            let answer = call(actor, feature, what).await;
            assert_eq!(answer != denied, permitted, "{feature} {what} as {role:?}: {answer:?}");
        }
        assert_ne!(call(ACTOR, feature, what).await, denied, "{feature} {what} by the program");
    }
}

#[test]
fn every_use_case_takes_a_caller_has_a_span_and_is_in_the_table() {
    let sources = [
        ("access", include_str!("../../src/access.rs")),
        ("check_list", include_str!("../../src/check_list.rs")),
        ("data_set", include_str!("../../src/data_set.rs")),
        ("event", include_str!("../../src/event.rs")),
        ("location", include_str!("../../src/location.rs")),
        ("photo", include_str!("../../src/photo.rs")),
        ("point", include_str!("../../src/point.rs")),
        ("series", include_str!("../../src/series.rs")),
        ("sign_in", include_str!("../../src/sign_in/mod.rs")),
        ("sign_in", include_str!("../../src/sign_in/invitation.rs")),
        ("sign_in", include_str!("../../src/sign_in/people.rs")),
        ("sign_in", include_str!("../../src/sign_in/session.rs")),
        ("task_execution", include_str!("../../src/task_execution.rs")),
        ("user", include_str!("../../src/user.rs")),
    ];
    let mut of_users = BTreeSet::new();
    for (feature, source) in sources {
        let functions: Vec<_> = source.split("\n    pub ").collect();
        for pair in functions.windows(2) {
            let (documentation, function) = (pair[0], pair[1]);
            let Some((before, parameters)) = function.split_once("&self") else { continue };
            let Some(name) = before.split("fn ").nth(1).and_then(|rest| rest.split('(').next())
            else {
                continue;
            };
            let parameters = parameters.trim_start_matches([',', ' ', '\n']);
            let record = if feature == "access" { "token" } else { feature };
            let span = format!("name = \"{record}.{name}\", skip_all)]");
            let last = documentation.rsplit("\n    }\n").next().unwrap();
            assert!(last.contains(&span) || name == "monitored", "{feature}::{name} has no span");
            if parameters.starts_with("actor: Actor") {
                of_users.insert((feature, name));
            } else {
                let is_of_program = ["_: Operator", "operator: Operator"]
                    .iter()
                    .any(|parameter| parameters.starts_with(parameter));
                let is_without = feature == "sign_in" && WITHOUT_A_CALLER.contains(&name);
                assert!(
                    is_of_program || is_without || name == "monitored",
                    "{feature}::{name} has no caller"
                );
            }
        }
    }
    let word = |what: &'static str| what.split(' ').next().unwrap();
    let table: BTreeSet<_> =
        PERMISSIONS.iter().map(|(feature, what, _)| (*feature, word(what))).collect();
    assert_eq!(of_users, table);
}
