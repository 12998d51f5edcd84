//! Points and their history. The domain's tests cover the rules of a draft.

use std::sync::Arc;

use patrol_application::{Failure, PointService, rules};
use patrol_domain::{
    At, EditError, Existing, Fault, Limits, References, Refusal, Rule, StoreError, Timestamp,
    UniqueValue, Versioned,
    ids::{LocationId, PointId, Uuid},
    list::{Condition, Page, Query},
    point::{HistoryFilter, MockPointLists, MockPoints, Point, PointDraft, PointType},
    shared::ports::{MockClock, MockIds},
};

use crate::ACTOR;

const NEW: PointId = PointId(Uuid::from_u128(777));
const OLD: PointId = PointId(Uuid::from_u128(1));
const LOCATION: LocationId = LocationId(Uuid::from_u128(50));

fn now() -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000).unwrap()
}

fn service(points: MockPoints) -> PointService {
    let (mut clock, mut ids) = (MockClock::new(), MockIds::new());
    clock.expect_now().returning(now);
    ids.expect_next().returning(|| NEW.0);
    let lists = Arc::new(MockPointLists::new());
    let rules = rules(Limits::default());
    PointService::new(Arc::new(points), lists, Arc::new(clock), Arc::new(ids), rules)
}

/// [`OLD`] in any version.
const fn at() -> At<Point> {
    At::any_version(OLD)
}

fn draft() -> PointDraft {
    PointDraft {
        location_id: Some(LOCATION),
        name: Some("Gate".into()),
        kind: Some("QR".into()),
        qr_code: Some("code".into()),
        ..PointDraft::default()
    }
}

fn references() -> References {
    References::default().with([LOCATION]).with_values(UniqueValue::QrCode, ["code".to_owned()])
}

/// The lookup result when `owner` has the code.
fn existing(owner: PointId) -> Existing {
    let mut existing = Existing::from_iter([LOCATION]);
    existing.add_owner(UniqueValue::QrCode, "code".to_owned(), owner.0);
    existing
}

fn point(id: PointId) -> Point {
    Point { qr_code: Some("code".into()), ..Point::new(id, LOCATION, "Gate", PointType::Qr) }
}

/// The point before a PUT.
fn before() -> Point {
    Point { name: "Old".into(), tags: vec!["night".into()], ..point(OLD) }
}

fn taken() -> Refusal {
    Refusal::Invalid(vec![Fault { identifier: "qrCode".into(), rule: Rule::Unique }])
}

#[tokio::test]
async fn a_new_point_gets_a_new_id_and_is_checked_against_the_lookup() {
    let mut points = MockPoints::new();
    points.expect_create().times(1).returning(|new, by| {
        assert_eq!((&new.references, by.at), (&references(), now()));
        assert_eq!((new.make)(&existing(OLD)), Err(taken()));
        (new.make)(&Existing::from_iter([LOCATION])).map_err(EditError::from)
    });
    assert_eq!(service(points).create(ACTOR, draft()).await, Ok(point(NEW)));
}

#[tokio::test]
async fn a_put_keeps_only_the_id() {
    let mut points = MockPoints::new();
    points.expect_update().times(1).returning(|edit, by| {
        assert_eq!((edit.at.id, &edit.references, by.at), (OLD, &references(), now()));
        assert_eq!((edit.change)(&before(), &existing(NEW)), Err(taken()));
        // A point may keep its own code.
        let changed = (edit.change)(&before(), &existing(OLD))?;
        Ok(Versioned::unversioned(changed.expect("a change")))
    });
    assert_eq!(
        service(points).replace(ACTOR, at(), draft()).await,
        Ok(Versioned::unversioned(point(OLD)))
    );
}

#[tokio::test]
async fn a_put_of_the_same_content_is_a_change() {
    let mut points = MockPoints::new();
    points.expect_update().times(1).returning(|edit, _| {
        assert_eq!((edit.change)(&point(OLD), &existing(OLD)), Ok(Some(point(OLD))));
        Ok(Versioned::unversioned(point(OLD)))
    });
    service(points).replace(ACTOR, at(), draft()).await.unwrap();
}

#[tokio::test]
async fn a_missing_point_is_not_found() {
    let mut points = MockPoints::new();
    points.expect_get().times(1).returning(|_| Ok(None));
    points.expect_update().times(1).returning(|_, _| Err(EditError::Missing));
    points.expect_delete().times(1).returning(|_, _| Err(EditError::Missing));
    let service = service(points);
    assert_eq!(service.get(ACTOR, OLD).await, Err(Failure::NotFound));
    assert_eq!(service.replace(ACTOR, at(), draft()).await, Err(Failure::NotFound));
    assert_eq!(service.delete(ACTOR, at()).await, Err(Failure::NotFound));
}

#[tokio::test]
async fn refusals_and_outages_reach_the_caller() {
    let down = || StoreError::Unavailable("down".into());
    let mut points = MockPoints::new();
    points.expect_get().times(1).returning(move |_| Err(down()));
    points.expect_create().times(1).returning(|_, _| Err(EditError::Refused(taken())));
    points.expect_delete().times(1).returning(move |_, _| Err(down().into()));
    let service = service(points);
    assert_eq!(service.get(ACTOR, OLD).await, Err(Failure::Store(down())));
    assert_eq!(service.create(ACTOR, draft()).await, Err(Failure::Refused(taken())));
    assert_eq!(service.delete(ACTOR, at()).await, Err(Failure::Store(down())));
}

#[tokio::test]
async fn a_deletion_is_recorded_with_its_time() {
    let mut points = MockPoints::new();
    points.expect_delete().times(1).returning(|target, by| {
        assert_eq!((target.id, by.at), (OLD, now()));
        Ok(())
    });
    assert_eq!(service(points).delete(ACTOR, at()).await, Ok(()));
}

#[tokio::test]
async fn the_store_gets_the_query_of_the_history() {
    let condition: Condition<HistoryFilter> = Condition::Any(Vec::new());
    let mut points = MockPoints::new();
    let asked = condition.clone();
    points.expect_list().times(1).returning(move |query| {
        assert_eq!(query.condition, asked);
        Box::pin(futures_util::stream::empty())
    });
    drop(service(points).history(
        ACTOR,
        Query {
            condition,
            search: None,
            sort: Vec::new(),
            page: Page::default(),
            in_parts: false,
            now: now(),
        },
    ));
}
