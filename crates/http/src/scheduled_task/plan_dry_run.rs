//! PUT of a scheduled task with `dryRun=true`: what would happen to the executions of its schedule.

use patrol_domain::{
    Target,
    scheduled_task::{DryRunResult, ExecutionTimes, ScheduledTask, ScheduledTaskDraft},
};
use patrol_record::{
    ScheduledTaskRecord,
    value::{Id, Time},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{dry_run, error::HandlerResult, reply, request_limit::block, route::Call};

/// The answer of PUT.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Replaced<'a> {
    /// The full record after the change.
    Task(ScheduledTaskRecord<'a>),
    /// What would happen, with `dryRun=true`.
    DryRun(DryRunRecord),
}

/// What would happen to executions, each list in order of startAt.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = Rehearsal)]
pub(crate) struct DryRunRecord {
    /// New executions.
    created: Vec<DryRunRound>,
    /// Executions that would take the new content.
    changed: Vec<DryRunRound>,
    /// Executions that would be deleted.
    deleted: Vec<DryRunRound>,
    /// Executions that would stay as they are.
    kept: Vec<DryRunRound>,
}

/// An execution, with the times that it would have.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = RehearsedRound)]
pub(crate) struct DryRunRound {
    /// Null for a new one.
    #[schema(required)]
    id: Option<Id>,
    start_at: Time,
    end_at: Time,
}

impl DryRunRecord {
    pub(crate) fn new(result: &DryRunResult) -> Self {
        let DryRunResult { created, changed, deleted, kept } = result;
        let rounds = |rounds: &[ExecutionTimes]| rounds.iter().map(DryRunRound::new).collect();
        Self {
            created: rounds(created),
            changed: rounds(changed),
            deleted: rounds(deleted),
            kept: rounds(kept),
        }
    }
}

impl DryRunRound {
    fn new(round: &ExecutionTimes) -> Self {
        let ExecutionTimes { id, start_at, end_at } = *round;
        Self { id: id.map(Id::of), start_at: Time(start_at), end_at: Time(end_at) }
    }
}

/// Runs all checks of PUT and tells what would happen.
pub(super) async fn answer(
    call: &Call,
    at: Target<ScheduledTask>,
    draft: ScheduledTaskDraft,
) -> HandlerResult {
    let (services, actor) = (call.services(), call.actor());
    let permit = call.begin_expansion().await?;
    let task = services.scheduled_tasks.dry_run(actor, at, draft).await?;
    let plan = services.rounds.plan_dry_run(actor, task).await?;
    // The rule may be hostile. The work owns the permit, which is then kept until the answer.
    let (occurrences, plan, _permit) =
        block((), move || (plan.occurrences(), plan, permit)).await?;
    let result = services.rounds.dry_run(actor, &plan, &occurrences).await?;
    Ok(dry_run::mark(reply::ok(&Replaced::DryRun(DryRunRecord::new(&result)))?))
}
