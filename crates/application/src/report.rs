//! Reports: what happened on a round.

use std::sync::Arc;

use futures_util::StreamExt as _;
use patrol_domain::{
    Get, Named as _,
    ids::{TaskExecutionId, Uuid},
    list::{Condition, Listing, Membership, Page, Part, Test},
    report::{
        NewReports, OutcomeKind, Performed, PresenceRadius, Report, ReportFilter, ReportQuery,
        Reports, ReportsDraft,
    },
    task_execution::TaskExecution,
};

use crate::{
    context::Context,
    failure::Failure,
    permission::{Actor, Operation, permit, permit_performer, permit_report},
};

/// The use cases of reports.
#[derive(Clone)]
pub struct ReportService {
    reports: Arc<dyn Reports>,
    executions: Arc<dyn Get<TaskExecution>>,
    radius: PresenceRadius,
    context: Context,
}

impl ReportService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        reports: Arc<dyn Reports>,
        executions: Arc<dyn Get<TaskExecution>>,
        radius: PresenceRadius,
        context: Context,
    ) -> Self {
        Self { reports, executions, radius, context }
    }

    /// Checks that the execution exists. HTTP calls this before it lists the reports of the execution.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "report.check_execution", skip_all)]
    pub async fn check_execution(
        &self,
        actor: Actor,
        execution: TaskExecutionId,
    ) -> Result<(), Failure> {
        permit(actor, Operation::Read)?;
        self.executions.get(execution).await?.map(drop).ok_or(Failure::NotFound)
    }

    /// The number of refused entries of these executions. A refused entry is no event.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "report.refused", skip_all)]
    pub async fn refused(&self, actor: Actor, executions: Vec<Uuid>) -> Result<u64, Failure> {
        permit(actor, Operation::Read)?;
        let any = |filter, test| Condition::Is(filter, test);
        let refused = vec![OutcomeKind::Refused.code()];
        let condition = Condition::All(vec![
            any(ReportFilter::Execution, Test::Ids(Membership::Any, executions)),
            any(ReportFilter::Outcome, Test::Codes(Membership::Any, refused)),
        ]);
        let mut listing = self.reports.list(ReportQuery {
            page: Page { limit: 0, offset: 0 },
            in_parts: true,
            ..ReportQuery::of(condition, self.context.now())
        });
        let mut total = 0;
        while let Some(part) = listing.next().await {
            if let Part::Total(count) = part? {
                total = count;
            }
        }
        Ok(total)
    }

    /// The reports of an execution that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "report.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        execution: TaskExecutionId,
        mut query: ReportQuery,
    ) -> Result<Listing<Report>, Failure> {
        permit(actor, Operation::Read)?;
        let here = Test::Ids(Membership::Any, vec![execution.0]);
        let here = Condition::Is(ReportFilter::Execution, here);
        query.condition = Condition::All(vec![here, query.condition]);
        Ok(self.reports.list(query))
    }

    /// POST: applies entries to an execution, in the order sent.
    ///
    /// # Errors
    /// `Denied` for an EMPLOYEE who is not an assignee of an execution with assignees, or who names
    /// another performer; `NotFound`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "report.report", skip_all)]
    pub async fn report(
        &self,
        actor: Actor,
        execution: TaskExecutionId,
        draft: ReportsDraft,
    ) -> Result<Performed, Failure> {
        permit(actor, Operation::Report)?;
        draft.performers().try_for_each(|performer| permit_performer(actor, Some(performer)))?;
        let by = self.context.origin(actor);
        let (rules, radius) = (self.context.rules, self.radius);
        let new = NewReports::of(execution, draft, move |draft, round, existing| {
            permit_report(actor, &round.execution.assignee_ids)?;
            let entries = draft.check(&round.known, existing, &rules)?;
            Ok(round.perform(&entries, radius, &by))
        });
        Ok(self.reports.report(new, by).await?)
    }
}
