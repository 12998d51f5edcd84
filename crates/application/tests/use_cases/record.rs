//! Records that are created from a draft, with locations as the example.

use std::sync::Arc;

use futures_util::StreamExt;
use patrol_application::{Context, Failure, RecordService, UnstoredRecord, rules};
use patrol_domain::{
    EditError, Existing, Fault, Held, Holder, Limits, References, Refusal, Rule, StoreError,
    Target, Timestamp, Version, Versioned,
    ids::{LocationId, Uuid},
    list::{Condition, Page, Part, Query, Test},
    location::{Location, LocationDraft, LocationFilter},
    shared::{drafted::MockRecords, ports::MockIds},
};

use crate::{ACTOR, clock};

const NEW: LocationId = LocationId(Uuid::from_u128(777));
const OLD: LocationId = LocationId(Uuid::from_u128(1));

fn service(locations: MockRecords<Location>) -> RecordService<Location> {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| NEW.0);
    RecordService::new(
        Arc::new(locations),
        Context::new(clock(), Arc::new(ids), rules(Limits::default())),
    )
}

fn draft() -> LocationDraft {
    LocationDraft { name: Some("Depot".to_owned()), ..LocationDraft::default() }
}

fn fault(identifier: &str, rule: Rule) -> Refusal {
    Refusal::Invalid(vec![Fault { identifier: identifier.to_owned(), rule }])
}

#[tokio::test]
async fn a_new_location_gets_an_id_unless_it_has_one() {
    for (own, id) in [(None, NEW), (Some(OLD), OLD)] {
        let mut locations = MockRecords::new();
        locations.expect_create().times(1).returning(move |new, _| {
            assert_eq!(new.references, References::default().with(own));
            if let Some(own) = own {
                let taken = (new.make)(&Existing::from_iter([own]));
                assert_eq!(taken, Err(fault("id", Rule::Unique)));
            }
            (new.make)(&Existing::default()).map_err(EditError::from)
        });
        let draft = LocationDraft { id: own, ..draft() };
        let created = service(locations).create(ACTOR, draft).await;
        assert_eq!(created, Ok(Location::new(id, "Depot")));
    }
}

#[tokio::test]
async fn a_put_keeps_id_and_plans_and_changes_nothing_when_nothing_differs() {
    let before = Location {
        address: "1 Quay Rd".to_owned(),
        tags: vec!["port".to_owned()],
        graphic_plan_ids: vec![Uuid::from_u128(5).into()],
        ..Location::new(OLD, "Old")
    };
    let after = Location {
        graphic_plan_ids: before.graphic_plan_ids.clone(),
        ..Location::new(OLD, "Depot")
    };
    let mut locations = MockRecords::new();
    locations.expect_update().times(1).returning(move |edit, _| {
        assert_eq!((edit.at.id, edit.at.expected), (OLD, Some(Version(3))));
        let changed = (edit.change)(&before, &Existing::default())?;
        assert_eq!(changed, Some(after.clone()));
        assert_eq!((edit.change)(&after, &Existing::default()), Ok(None));
        Ok(Versioned { record: after.clone(), version: Version(4) })
    });
    let draft = LocationDraft { id: Some(NEW), ..draft() };
    let at = Target { id: OLD, expected: Some(Version(3)) };
    let replaced = service(locations).replace(ACTOR, at, draft).await.unwrap();
    assert_eq!(replaced.version, Version(4));
}

#[tokio::test]
async fn a_dry_run_runs_the_checks_and_stores_nothing() {
    let mut locations = MockRecords::new();
    locations.expect_update().times(1).returning(|edit, by| {
        assert_eq!(by.keyed, None);
        let before = Location::new(OLD, "Old");
        assert_eq!((edit.change)(&before, &Existing::default()), Ok(None));
        Ok(Versioned { record: before, version: Version(3) })
    });
    let at = Target { id: OLD, expected: Some(Version(3)) };
    let plan = service(locations).dry_run(ACTOR, at, draft()).await;
    let record = Versioned { record: Location::new(OLD, "Depot"), version: Version(3) };
    assert_eq!(plan, Ok(UnstoredRecord { record, is_changed: true }));
}

#[tokio::test]
async fn a_missing_record_is_not_found_and_outages_reach_the_caller() {
    let outage = StoreError::Unavailable("down".into());
    for (found, error, failure) in [
        (Ok(None), EditError::Missing, Failure::NotFound),
        (Err(outage.clone()), EditError::Store(outage.clone()), Failure::Store(outage)),
    ] {
        let mut locations = MockRecords::new();
        let same = error.clone();
        locations.expect_get().return_once(move |_| found);
        locations.expect_update().return_once(move |_, _| Err(same));
        locations.expect_delete().return_once(move |_, _| Err(error));
        let (service, at) = (service(locations), || Target::any_version(OLD));
        assert_eq!(service.get(ACTOR, OLD).await, Err(failure.clone()));
        assert_eq!(service.replace(ACTOR, at(), draft()).await, Err(failure.clone()));
        assert_eq!(service.delete(ACTOR, at()).await, Err(failure));
    }
}

#[tokio::test]
async fn a_location_in_use_is_not_deleted() {
    let held = vec![Held { by: Holder::Points, count: 3 }];
    let mut locations = MockRecords::new();
    let answer = EditError::InUse(held.clone());
    locations.expect_delete().times(1).returning(move |_, _| Err(answer.clone()));
    let deleted = service(locations).delete(ACTOR, Target::any_version(OLD)).await;
    assert_eq!(deleted, Err(Failure::InUse(held)));
}

#[tokio::test]
async fn the_store_gets_the_query_and_its_list_is_returned() {
    let condition = Condition::Is(LocationFilter::WithGraphicPlan, Test::Flag(true));
    let down = || StoreError::Unavailable("down".into());
    let mut locations = MockRecords::new();
    let asked = condition.clone();
    locations.expect_list().times(1).returning(move |query| {
        assert_eq!((query.condition, query.page.limit), (asked.clone(), 7));
        Box::pin(futures_util::stream::iter([Ok(Part::Rows(vec![])), Err(down())]))
    });
    let listing = service(locations).list(
        ACTOR,
        Query {
            page: Page { limit: 7, offset: 0 },
            ..Query::of(condition, Timestamp::from_millis(0).unwrap())
        },
    );
    let parts: Vec<_> = listing.unwrap().collect().await;
    assert_eq!(parts, [Ok(Part::Rows(vec![])), Err(down())]);
}
