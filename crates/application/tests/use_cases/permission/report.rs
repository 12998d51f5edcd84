//! The use cases of reports.

use std::sync::Arc;

use patrol_application::{Actor, Context, Failure, ReportService, rules};
use patrol_domain::{
    Limits,
    ids::TaskExecutionId,
    report::{MockReports, PresenceRadius, ReportsDraft},
    task_execution::MockTaskExecutions,
};

use crate::clock;

use super::{
    ports::{down, everything, ids},
    uuid,
};

pub(super) const PERMISSIONS: &[(&str, [bool; 3])] = &[
    ("check_execution", [true, true, true]),
    ("refused", [true, true, true]),
    ("list", [true, true, true]),
    ("report", [true, true, true]),
];

pub(super) async fn call(actor: Actor, what: &str) -> Result<(), Failure> {
    let (mut reports, mut executions) = (MockReports::new(), MockTaskExecutions::new());
    reports.expect_list().returning(|_| Box::pin(futures_util::stream::empty()));
    reports.expect_report().returning(|_, _| Err(down().into()));
    executions.expect_get().returning(|_| Err(down()));
    let service = ReportService::new(
        Arc::new(reports),
        Arc::new(executions),
        PresenceRadius::default(),
        Context::new(clock(), ids(), rules(Limits::default())),
    );
    let execution = TaskExecutionId(uuid(1));
    match what {
        "check_execution" => service.check_execution(actor, execution).await,
        "refused" => service.refused(actor, vec![uuid(1)]).await.map(drop),
        "list" => service.list(actor, execution, everything()).map(drop),
        "report" => service.report(actor, execution, ReportsDraft::default()).await.map(drop),
        other => panic!("{other}"),
    }
}
