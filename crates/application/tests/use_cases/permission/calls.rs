//! Calls each use case with ports that are down.

use std::{collections::HashMap, sync::Arc, time::Duration};

use patrol_application::{
    AccessService, Actor, CheckListService, EventService, Failure, GraphicPlanService,
    ImageService, LocationService, NewGraphicPlan, PhotoService, PointService, Rehearsed,
    RoundService, ScheduleService, ScheduledTaskService, SeriesPorts, SeriesService,
    TaskExecutionService, TokenDraft, UserService, rules,
};
use patrol_domain::{
    At, Clock as _, Limits, Patch, StoreError, Timestamp, Versioned,
    access::{MockSecretGenerator, MockTokens, Role},
    check_list::{MockCheckListActions, MockCheckLists},
    event::{EventQuery, MockEvents},
    graphic_plan::MockGraphicPlans,
    ids::{
        CheckListActionId, CheckListId, GraphicPlanId, LocationId, PointId, TokenId, UserId, Uuid,
    },
    list::{Condition, Listed, Page, Query},
    location::MockLocations,
    photo::{ImageError, MockImageOwners, MockImages, MockPhotos, MockUserPhotos},
    point::{MockPointLists, MockPoints},
    scheduled_task::{MockRounds, MockScheduledTasks, Outlook, ScheduledTask},
    series::MockSeries,
    shared::ports::MockIds,
    task_execution::MockTaskExecutions,
    user::{BatchEntry, MockUsers, User, UserBatch, UserDraft, UserPatch},
};

use crate::{ACTOR, clock, sign_in::World, user::user};

use super::{ADMIN, OTHER, OWN};

fn down() -> StoreError {
    StoreError::Unavailable("down".to_owned())
}

pub(super) fn uuid(number: u128) -> Uuid {
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

fn image_service(images: MockImages) -> ImageService {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| uuid(9));
    ImageService::new(
        Arc::new(MockImageOwners::new()),
        Arc::new(MockPhotos::new()),
        Arc::new(images),
        clock(),
        Arc::new(ids),
    )
}

/// Calls the use case. All calls of the store fail, except reads of users.
pub(super) async fn call(actor: Actor, feature: &str, what: &str) -> Result<(), Failure> {
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
            port.expect_create().returning(|_, _| Err(down().into()));
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            port.expect_copy().returning(|_, _| Err(down().into()));
            let service = TaskExecutionService::new(Arc::new(port), clock, ids, rules);
            let id = uuid(1).into();
            let at = At::any_version(id);
            match what {
                "get" => service.get(actor, id).await.map(drop),
                "list" => service.list(actor, everything()).map(drop),
                "create" => service.create(actor, Default::default()).await.map(drop),
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
            let mut executions = MockTaskExecutions::new();
            executions.expect_get().returning(|_| Err(down()));
            let ports = SeriesPorts {
                series: Arc::new(port),
                executions: Arc::new(executions),
                tasks: Arc::new(MockScheduledTasks::new()),
                rounds: Arc::new(MockRounds::new()),
            };
            let service = SeriesService::new(ports, clock, ids, rules);
            let (from, draft) = (At::any_version(uuid(1).into()), Default::default());
            match what {
                "plan" => service.plan(actor, from.id, &draft).await.map(drop),
                "split" => service.split(actor, from, Arc::new(draft), None).await.map(drop),
                "rehearse" => service.rehearse(actor, from, Arc::new(draft), None).await.map(drop),
                other => panic!("{other}"),
            }
        }
        "scheduled_task" => {
            let mut port = MockScheduledTasks::new();
            port.expect_get().returning(|_| Err(down()));
            port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            port.expect_create().returning(|_, _| Err(down().into()));
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            let service = ScheduledTaskService::new(Arc::new(port), clock, ids, rules);
            let at = At::any_version(uuid(1).into());
            match what {
                "list" => service.list(actor, everything()).map(drop),
                "get" => service.get(actor, uuid(1).into()).await.map(drop),
                "create" => service.create(actor, Default::default()).await.map(drop),
                "replace" => service.replace(actor, at, Default::default()).await.map(drop),
                "rehearse" => service.rehearse(actor, at, Default::default()).await.map(drop),
                "delete" => service.delete(actor, at).await,
                other => panic!("{other}"),
            }
        }
        "round" => {
            let mut port = MockRounds::new();
            port.expect_made().returning(|_, _| Err(down()));
            port.expect_following().returning(|_, _, _| Err(down()));
            let now = clock.now();
            let service = RoundService::new(
                Arc::new(MockScheduledTasks::new()),
                Arc::new(MockCheckLists::new()),
                Arc::new(port),
                clock,
                ids,
                Duration::ZERO,
            );
            let task = ScheduledTask::new(uuid(1).into(), "Round");
            let task = Versioned::unversioned(task);
            match what {
                "outlook" => {
                    let rehearsed = Rehearsed { task, is_changed: true };
                    service.outlook(actor, rehearsed).await.map(drop)
                }
                "foresee" => {
                    let made = Vec::new();
                    let outlook = Outlook { task, is_changed: true, made, now, horizon: now };
                    service.foresee(actor, &outlook, &HashMap::new()).await.map(drop)
                }
                other => panic!("{other}"),
            }
        }
        "location" => {
            let mut port = MockLocations::new();
            port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            port.expect_get().returning(|_| Err(down()));
            port.expect_create().returning(|_, _| Err(down().into()));
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            let service = LocationService::new(Arc::new(port), clock, ids, rules);
            let id = uuid(1).into();
            let at = At::any_version(id);
            match what {
                "list" => service.list(actor, everything()).map(drop),
                "get" => service.get(actor, id).await.map(drop),
                "create" => service.create(actor, Default::default()).await.map(drop),
                "replace" => service.replace(actor, at, Default::default()).await.map(drop),
                "delete" => service.delete(actor, at).await,
                other => panic!("{other}"),
            }
        }
        "graphic_plan" => {
            let (mut plans, mut locations) = (MockGraphicPlans::new(), MockLocations::new());
            plans.expect_get().returning(|_| Err(down()));
            plans.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            plans.expect_create().returning(|_, _| Err(down().into()));
            plans.expect_delete().returning(|_, _| Err(down().into()));
            locations.expect_get().returning(|_| Err(down()));
            let service = GraphicPlanService::new(
                Arc::new(plans),
                Arc::new(locations),
                image_service(MockImages::new()),
                clock,
                ids,
                rules,
            );
            let (location, plan) = (LocationId(uuid(1)), GraphicPlanId(uuid(1)));
            match what {
                "check_location" => service.check_location(actor, location).await,
                "list" => service.list(actor, location, everything()).map(drop),
                "get" => service.get(actor, plan).await.map(drop),
                "create" => {
                    service.create(actor, location, NewGraphicPlan::default()).await.map(drop)
                }
                "delete" => service.delete(actor, At::any_version(plan)).await,
                "image" => service.image(actor, plan).await.map(drop),
                "current_image" => service.current_image(actor, plan).await.map(drop),
                other => panic!("{other}"),
            }
        }
        "point" => {
            let mut port = MockPoints::new();
            port.expect_get().returning(|_| Err(down()));
            port.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            port.expect_create().returning(|_, _| Err(down().into()));
            port.expect_update().returning(|_, _| Err(down().into()));
            port.expect_delete().returning(|_, _| Err(down().into()));
            let mut lists = MockPointLists::new();
            lists.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            let service = PointService::new(Arc::new(port), Arc::new(lists), clock, ids, rules);
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
        "check_list" => {
            let (mut lists, mut actions) = (MockCheckLists::new(), MockCheckListActions::new());
            lists.expect_get().returning(|_| Err(down()));
            lists.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
            lists.expect_create().returning(|_, _| Err(down().into()));
            lists.expect_update().returning(|_, _| Err(down().into()));
            lists.expect_delete().returning(|_, _| Err(down().into()));
            lists.expect_add_action().returning(|_, _| Err(down().into()));
            actions.expect_update().returning(|_, _| Err(down().into()));
            actions.expect_delete().returning(|_, _| Err(down().into()));
            let service =
                CheckListService::new(Arc::new(lists), Arc::new(actions), clock, ids, rules);
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
                "edit_action" => {
                    service.edit_action(actor, action, Default::default()).await.map(drop)
                }
                "delete_action" => service.delete_action(actor, action).await,
                other => panic!("{other}"),
            }
        }
        "schedule" => ScheduleService::new(clock).preview(actor, &Default::default()).map(drop),
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
            let images = image_service(images);
            let (users, photos) = (Arc::new(users), Arc::new(user_photos));
            let service = PhotoService::new(users, photos, images, clock);
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
