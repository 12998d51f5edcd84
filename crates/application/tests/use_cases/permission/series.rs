//! The use cases of series.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, SeriesPorts, SeriesService, rules};
use patrol_domain::{
    Limits, Target,
    scheduled_task::{MockRounds, ScheduledTask},
    series::MockSeries,
    shared::drafted::MockRecords,
    task_execution::MockTaskExecutions,
};

use crate::clock;

use super::{
    ports::{down, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("plan", [true, true, false]),
    ("split", [true, true, false]),
    ("dry_run", [true, true, false]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut port = MockSeries::new();
    port.expect_split().returning(|_, _| Err(down().into()));
    let mut executions = MockTaskExecutions::new();
    executions.expect_get().returning(|_| Err(down()));
    let ports = SeriesPorts {
        series: Arc::new(port),
        executions: Arc::new(executions),
        tasks: Arc::new(MockRecords::<ScheduledTask>::new()),
        rounds: Arc::new(MockRounds::new()),
    };
    let service = SeriesService::new(ports, Context::new(clock(), ids(), rules(Limits::default())));
    let (from, draft) = (Target::any_version(uuid(1).into()), Default::default());
    match what {
        "plan" => service.plan(actor, from.id, &draft).await.map(drop),
        "split" => service.split(actor, from, Arc::new(draft), None).await.map(drop),
        "dry_run" => service.dry_run(actor, from, Arc::new(draft), None).await.map(drop),
        other => panic!("{other}"),
    }
}
