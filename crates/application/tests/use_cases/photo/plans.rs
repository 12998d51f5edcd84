//! Graphic plans: a plan and its picture are stored and removed together.

use std::sync::Arc;

use patrol_application::{Context, Failure, GraphicPlanService, NewGraphicPlan, rules};
use patrol_domain::{
    EditError, Existing, Fault, Limits, Refusal, Rule, StoreError, Target, Versioned,
    graphic_plan::{GraphicPlan, MockGraphicPlans, Picture},
    ids::{GraphicPlanId, LocationId, Uuid},
    location::Location,
    photo::ImageFormat,
    shared::drafted::MockRecords,
};

use super::stores::{Stores, minute, photo};
use crate::{ACTOR, clock};

const LOCATION: LocationId = LocationId(Uuid::from_u128(5));
const PLAN: GraphicPlanId = GraphicPlanId(Uuid::from_u128(6));

/// The use cases over these plans; [`LOCATION`] exists.
fn service(stores: &Arc<Stores>, plans: MockGraphicPlans) -> GraphicPlanService {
    let mut locations = MockRecords::<Location>::new();
    locations.expect_get().returning(|id| {
        Ok((id == LOCATION).then(|| Versioned::unversioned(Location::new(LOCATION, "Port"))))
    });
    GraphicPlanService::new(
        Arc::new(plans),
        Arc::new(locations),
        stores.images(minute(0)),
        Context::new(clock(), stores.clone(), rules(Limits::default())),
    )
}

/// A store of plans in which the plan 6 exists, and which stores the picture of a new plan.
fn storing(stores: &Arc<Stores>) -> MockGraphicPlans {
    let mut plans = MockGraphicPlans::new();
    let stores = Arc::clone(stores);
    plans.expect_create().returning(move |new, _| {
        let mut existing = Existing::from_iter([PLAN]);
        existing.extend([LOCATION.into()]);
        let plan = (new.make)(&existing)?;
        let mut state = stores.state();
        let image = plan.picture.expect("a picture").image;
        assert!(state.announced.remove(&image).is_some() && state.objects.contains_key(&image));
        state.current = Some(image);
        Ok(plan)
    });
    plans
}

fn new(id: Option<GraphicPlanId>, image: Option<Vec<u8>>) -> NewGraphicPlan {
    NewGraphicPlan { id, name: Some("Roof".to_owned()), image }
}

#[tokio::test]
async fn a_new_plan_gets_its_picture() {
    let stores = Arc::new(Stores::default());
    let service = service(&stores, storing(&stores));
    let plan = service.create(ACTOR, LOCATION, new(None, Some(vec![1, 2]))).await.unwrap();
    let image = stores.state().current.unwrap();
    let picture = Picture { image, format: ImageFormat::Png, width: 1, height: 1 };
    let expected =
        GraphicPlan { picture: Some(picture), ..GraphicPlan::new(plan.id, LOCATION, "Roof") };
    assert_eq!(plan, expected);
    assert!(stores.is_tidy());
    let elsewhere = service.create(ACTOR, LocationId(Uuid::from_u128(9)), new(None, None)).await;
    assert_eq!(elsewhere, Err(Failure::NotFound));
}

#[tokio::test]
async fn a_refused_plan_leaves_no_picture() {
    let stores = Arc::new(Stores::default());
    let service = service(&stores, storing(&stores));
    for (image, rule) in
        [(None, Some(Rule::NotNull)), (Some(vec![]), Some(Rule::Image)), (Some(vec![1, 2]), None)]
    {
        let answer = service.create(ACTOR, LOCATION, new(Some(PLAN), image)).await;
        let fault = |at: &str, rule| Fault { identifier: at.to_owned(), rule };
        let faults = [Some(fault("id", Rule::Unique)), rule.map(|rule| fault("image", rule))];
        let faults = faults.into_iter().flatten().collect();
        assert_eq!(answer, Err(Failure::Refused(Refusal::Invalid(faults))));
        assert!(stores.is_tidy());
    }
}

#[tokio::test]
async fn the_picture_of_a_deleted_plan_is_removed() {
    for (deleted, left) in [
        (Ok(()), false),
        (Err(EditError::Stale), true),
        (Err(EditError::Store(StoreError::Unavailable("away".to_owned()))), true),
    ] {
        let stores = Stores::with_photo();
        let mut plans = MockGraphicPlans::new();
        let picture = Picture { image: photo(1), format: ImageFormat::Png, width: 1, height: 1 };
        let plan =
            GraphicPlan { picture: Some(picture), ..GraphicPlan::new(PLAN, LOCATION, "Roof") };
        plans.expect_get().returning(move |_| Ok(Some(Versioned::unversioned(plan.clone()))));
        let (of_plan, answer) = (Arc::clone(&stores), deleted.clone());
        plans.expect_delete().returning(move |_, _| {
            if answer.is_ok() {
                let mut state = of_plan.state();
                state.current = None;
                state.announced.insert(photo(1), (minute(0), true));
            }
            answer.clone()
        });
        let service = service(&stores, plans);
        let answer = service.delete(ACTOR, Target::any_version(PLAN)).await;
        assert_eq!(answer.is_err(), left);
        assert!(stores.is_tidy());
        assert_eq!(stores.state().objects.contains_key(&photo(1)), left);
    }
}
