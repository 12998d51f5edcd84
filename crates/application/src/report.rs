//! Reports: what happened on a round.

use std::sync::Arc;

use patrol_domain::{
    Get,
    ids::TaskExecutionId,
    list::{Condition, Listing, Membership, Test},
    report::{
        NewReports, Performed, PresenceRadius, Report, ReportFilter, ReportQuery, Reports,
        ReportsDraft,
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
        let new = NewReports {
            execution,
            references: draft.references(),
            ids: draft.0.iter().filter_map(|entry| entry.id).collect(),
            steps: draft.0.iter().filter_map(|entry| entry.step_id).collect(),
            perform: Box::new(move |round, existing| {
                permit_report(actor, &round.execution.assignee_ids)?;
                let entries = draft.check(actor.user(), existing, &rules)?;
                Ok(round.perform(&entries, radius, &by))
            }),
        };
        Ok(self.reports.report(new, by).await?)
    }
}
