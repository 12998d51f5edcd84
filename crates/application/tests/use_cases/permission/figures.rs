//! The use case of figures.

use std::sync::Arc;

use patrol_application::{Actor, Failure, FiguresRequest, FiguresService, PeriodBound};
use patrol_domain::{
    Timestamp, figures::MockFigureStore, schedule::TimeZone, task_execution::Punctuality,
};

use crate::clock;

use super::ports::down;

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[("report", [true, true, false])];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let mut store = MockFigureStore::new();
    store.expect_figures().returning(|_| Err(down()));
    let zone = TimeZone::named("UTC").unwrap();
    let service = FiguresService::new(Arc::new(store), clock(), Punctuality::default(), zone);
    let bound = PeriodBound::Time(Timestamp::LAST);
    let request = FiguresRequest {
        from: bound,
        to: bound,
        grouping: None,
        time_zone: None,
        location_id: None,
        performer_id: None,
        scheduled_task_id: None,
    };
    match what {
        "report" => service.report(actor, request).await.map(drop),
        other => panic!("{other}"),
    }
}
