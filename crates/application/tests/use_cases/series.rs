//! Series updates.

use std::sync::Arc;

use patrol_application::{Failure, SeriesService, SplitSeries, rules};
use patrol_domain::{
    At, EditError, Limits,
    ids::{SeriesId, TaskExecutionId, Uuid},
    series::{MockSeries, SeriesDraft},
    shared::ports::MockIds,
};

use crate::{ACTOR, clock};

fn service(series: MockSeries) -> SeriesService {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| Uuid::from_u128(7));
    SeriesService::new(Arc::new(series), clock(), Arc::new(ids), rules(Limits::default()))
}

fn draft() -> SeriesDraft {
    SeriesDraft { series_id: Some(SeriesId(Uuid::from_u128(1))), ..SeriesDraft::default() }
}

#[tokio::test]
async fn the_answer_contains_the_old_and_the_new_series() {
    let mut series = MockSeries::new();
    series.expect_split().times(1).returning(|_, _| Ok(()));
    let from = At::any_version(TaskExecutionId(Uuid::from_u128(2)));
    let split = service(series).split(ACTOR, from, draft()).await;
    let (updating, created) = (SeriesId(Uuid::from_u128(1)), SeriesId(Uuid::from_u128(7)));
    assert_eq!(split, Ok(SplitSeries { updating, created }));
}

#[tokio::test]
async fn an_unknown_execution_is_not_found() {
    let mut series = MockSeries::new();
    series.expect_split().times(1).returning(|_, _| Err(EditError::Missing));
    let from = At::any_version(TaskExecutionId(Uuid::from_u128(2)));
    let split = service(series).split(ACTOR, from, draft()).await;
    assert_eq!(split, Err(Failure::NotFound));
}
