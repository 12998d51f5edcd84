//! The use cases of graphic plans and their images.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, GraphicPlanService, NewGraphicPlan, rules};
use patrol_domain::{
    Limits, Target,
    graphic_plan::MockGraphicPlans,
    ids::{GraphicPlanId, LocationId},
    location::Location,
    photo::MockImages,
    shared::drafted::MockRecords,
};

use crate::clock;

use super::{
    ports::{down, everything, ids, image_service},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("check_location", [true, true, true]),
    ("list", [true, true, true]),
    ("get", [true, true, true]),
    ("create", [true, true, false]),
    ("delete", [true, true, false]),
    ("image", [true, true, true]),
    ("current_image", [true, true, true]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let (mut plans, mut locations) = (MockGraphicPlans::new(), MockRecords::<Location>::new());
    plans.expect_get().returning(|_| Err(down()));
    plans.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    plans.expect_create().returning(|_, _| Err(down().into()));
    plans.expect_delete().returning(|_, _| Err(down().into()));
    locations.expect_get().returning(|_| Err(down()));
    let service = GraphicPlanService::new(
        Arc::new(plans),
        Arc::new(locations),
        image_service(MockImages::new()),
        Context::new(clock(), ids(), rules(Limits::default())),
    );
    let (location, plan) = (LocationId(uuid(1)), GraphicPlanId(uuid(1)));
    match what {
        "check_location" => service.check_location(actor, location).await,
        "list" => service.list(actor, location, everything()).map(drop),
        "get" => service.get(actor, plan).await.map(drop),
        "create" => service.create(actor, location, NewGraphicPlan::default()).await.map(drop),
        "delete" => service.delete(actor, Target::any_version(plan)).await,
        "image" => service.image(actor, plan).await.map(drop),
        "current_image" => service.current_image(actor, plan).await.map(drop),
        other => panic!("{other}"),
    }
}
