//! Locations.

use std::sync::Arc;

use futures_util::StreamExt;
use patrol_application::LocationService;
use patrol_domain::{
    StoreError, Timestamp,
    list::{Condition, Page, Part, Query, Test},
    location::{LocationFilter, MockLocations},
};

use crate::ACTOR;

#[tokio::test]
async fn the_store_gets_the_query_and_its_list_is_returned() {
    let condition = Condition::Is(LocationFilter::WithGraphicPlan, Test::Flag(true));
    let down = || StoreError::Unavailable("down".into());
    let mut locations = MockLocations::new();
    let asked = condition.clone();
    locations.expect_list().times(1).returning(move |query| {
        assert_eq!((query.condition, query.page.limit), (asked.clone(), 7));
        Box::pin(futures_util::stream::iter([Ok(Part::Rows(vec![])), Err(down())]))
    });
    let listing = LocationService::new(Arc::new(locations)).list(
        ACTOR,
        Query {
            condition,
            search: None,
            sort: Vec::new(),
            page: Page { limit: 7, offset: 0 },
            in_parts: false,
            now: Timestamp::from_millis(0).unwrap(),
        },
    );
    let parts: Vec<_> = listing.unwrap().collect().await;
    assert_eq!(parts, [Ok(Part::Rows(vec![])), Err(down())]);
}
