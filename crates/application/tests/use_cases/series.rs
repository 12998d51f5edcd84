//! Series updates.

use std::sync::Arc;

use patrol_application::{Context, Failure, SeriesPorts, SeriesService, SplitSeries, rules};
use patrol_domain::{
    EditError, Limits, Target,
    ids::{SeriesId, TaskExecutionId, Uuid},
    scheduled_task::{MockRounds, ScheduledTask},
    series::{MockSeries, SeriesDraft},
    shared::{drafted::MockRecords, ports::MockIds},
    task_execution::MockTaskExecutions,
};

use crate::{ACTOR, clock};

fn service(series: MockSeries) -> SeriesService {
    let mut ids = MockIds::new();
    ids.expect_next().returning(|| Uuid::from_u128(7));
    let ports = SeriesPorts {
        series: Arc::new(series),
        executions: Arc::new(MockTaskExecutions::new()),
        tasks: Arc::new(MockRecords::<ScheduledTask>::new()),
        rounds: Arc::new(MockRounds::new()),
    };
    SeriesService::new(ports, Context::new(clock(), Arc::new(ids), rules(Limits::default())))
}

fn draft() -> Arc<SeriesDraft> {
    let series_id = Some(SeriesId(Uuid::from_u128(1)));
    Arc::new(SeriesDraft { series_id, ..SeriesDraft::default() })
}

#[tokio::test]
async fn the_answer_contains_the_old_and_the_new_series() {
    let mut series = MockSeries::new();
    series.expect_split().times(1).returning(|_, _| Ok(true));
    let from = Target::any_version(TaskExecutionId(Uuid::from_u128(2)));
    let split = service(series).split(ACTOR, from, draft(), None).await;
    let (updating, created) = (SeriesId(Uuid::from_u128(1)), SeriesId(Uuid::from_u128(7)));
    assert_eq!(split, Ok(Some(SplitSeries { updating, created })));
}

#[tokio::test]
async fn an_unknown_execution_is_not_found() {
    let mut series = MockSeries::new();
    series.expect_split().times(1).returning(|_, _| Err(EditError::Missing));
    let from = Target::any_version(TaskExecutionId(Uuid::from_u128(2)));
    let split = service(series).split(ACTOR, from, draft(), None).await;
    assert_eq!(split, Err(Failure::NotFound));
}

#[tokio::test]
async fn an_update_of_an_outdated_plan_has_no_answer() {
    let mut series = MockSeries::new();
    series.expect_split().times(2).returning(|_, _| Ok(false));
    let from = || Target::any_version(TaskExecutionId(Uuid::from_u128(2)));
    let service = service(series);
    assert_eq!(service.split(ACTOR, from(), draft(), None).await, Ok(None));
    assert_eq!(service.dry_run(ACTOR, from(), draft(), None).await, Ok(None));
}
