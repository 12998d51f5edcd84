//! PUT of a scheduled task with `dryRun=true`: what would happen to the executions of its schedule.

use actix_web::web;
use patrol_domain::{
    At,
    scheduled_task::{Foreseen, ForeseenRound, ScheduledTask, ScheduledTaskDraft},
};
use patrol_record::{
    ScheduledTaskRecord,
    value::{Id, Time},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::Replace;
use crate::{
    dry_run,
    error::ApiError,
    reply,
    route::{Answer, Call},
};

/// The answer of PUT.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Replaced<'a> {
    /// The full record after the change.
    Task(ScheduledTaskRecord<'a>),
    /// What would happen, with `dryRun=true`.
    Rehearsal(RehearsalRecord),
}

/// What would happen to executions, each list in order of startAt.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = Rehearsal)]
pub(crate) struct RehearsalRecord {
    /// New executions.
    created: Vec<RehearsedRound>,
    /// Executions that would take the new content.
    changed: Vec<RehearsedRound>,
    /// Executions that would be deleted.
    deleted: Vec<RehearsedRound>,
    /// Executions that would stay as they are.
    kept: Vec<RehearsedRound>,
}

/// An execution, with the times that it would have.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RehearsedRound {
    /// Null for a new one.
    #[schema(required)]
    id: Option<Id>,
    start_at: Time,
    end_at: Time,
}

impl RehearsalRecord {
    pub(crate) fn new(foreseen: &Foreseen) -> Self {
        let Foreseen { created, changed, deleted, kept } = foreseen;
        let rounds = |rounds: &[ForeseenRound]| rounds.iter().map(RehearsedRound::new).collect();
        Self {
            created: rounds(created),
            changed: rounds(changed),
            deleted: rounds(deleted),
            kept: rounds(kept),
        }
    }
}

impl RehearsedRound {
    fn new(round: &ForeseenRound) -> Self {
        let ForeseenRound { id, start_at, end_at } = *round;
        Self { id: id.map(Id::of), start_at: Time(start_at), end_at: Time(end_at) }
    }
}

/// Runs all checks of PUT and tells what would happen.
pub(super) async fn answer(
    call: &Call<Replace>,
    at: At<ScheduledTask>,
    draft: ScheduledTaskDraft,
) -> Answer {
    let (services, actor) = (call.services(), call.actor());
    let permit = call.begin_preview().await?;
    let rehearsed = services.scheduled_tasks.rehearse(actor, at, draft).await?;
    let outlook = services.rounds.outlook(actor, rehearsed).await?;
    // On a thread for blocking work: a hostile rule must not hold up other requests.
    let work = move || (outlook.occurrences(), outlook, permit);
    let (occurrences, outlook, _permit) =
        web::block(work).await.map_err(|cause| ApiError::internal(cause.to_string()))?;
    let foreseen = services.rounds.foresee(actor, &outlook, &occurrences).await?;
    Ok(dry_run::mark(reply::ok(&Replaced::Rehearsal(RehearsalRecord::new(&foreseen)))?))
}
