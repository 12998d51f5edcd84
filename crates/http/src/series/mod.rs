//! Series of executions: PUT /v1/task-executions/{id}/series.

use std::{sync::Arc, time::Duration};

use actix_web::rt::time::sleep;
use patrol_application::{Actor, Failure, Operation, SeriesService, SplitSeries};
use patrol_domain::{
    StoreError, Target,
    event::EventQuery,
    ids::{self, SeriesId, TaskExecutionId},
    list::Condition,
    series::{PlanMove, SeriesDraft},
    task_execution::TaskExecution,
};
use patrol_record::{json::fields::Fields, value::Id};
use serde::Serialize;
use utoipa::{OpenApi, ToSchema};

use crate::{
    dry_run,
    error::{ApiError, HandlerResult},
    reply,
    request_limit::block,
    route::{Api, Call, Endpoint, FaultStyle, JsonObject, Repeated, WithBody, api_resource},
    scheduled_task::DryRunRecord,
    task_execution::{SeriesPut, read_content, target},
};

/// Registers the resource of series.
pub(crate) fn configure(api: &mut Api<'_>) {
    let endpoint = Endpoint::from(Operation::Plan)
        .faults(FaultStyle::RULES_AS_INPUT)
        .parameters(dry_run::is_parameter);
    let resource = api_resource("/task-executions/{id}/series");
    api.service(resource.put(endpoint, split, Repeated(repeated)));
}

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(split),
    tags((name = "Task executions"))
)]
pub(crate) struct Description;

/// The maximum number of tries. A try stores nothing when the plan of the series has changed since it
/// was read, or when its executions do not follow the latest change yet.
const TRIES: u32 = 20;

/// The time between two tries. Executions follow a change of their plan within 5 s.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// Update this execution and those that follow in its series
///
/// The execution, which must be PENDING, and every PENDING execution of its series that does not
/// start earlier move to a new series with the new content. startAt and endAt apply to the
/// execution in the path; the other executions are shifted by the same difference and get the
/// same duration. Steps and actions are matched by seriesId. If the schedule of a task makes the
/// executions of this series, the task changes too, and its schedule starts at this execution. With
/// `dryRun=true` nothing is stored, and the answer tells what would happen to executions.
#[utoipa::path(
    put,
    path = "/task-executions/{id}/series",
    operation_id = "putTaskExecutionSeries",
    params(
        ("id" = Id, Path, description = "The task execution."),
        ("If-Match", Header),
        ("dryRun", Query),
    ),
    request_body = SeriesPut,
    responses(
        (
            status = 200,
            description = "The series was split; what would happen, with dryRun=true.",
            body = SplitOrDryRun,
            headers(("Patrol-Dry-Run")),
        ),
    ),
)]
async fn split(WithBody(call, draft): WithBody<SeriesDraft>) -> HandlerResult {
    let is_dry_run = call.is_dry_run()?;
    let from = target(&call).await?;
    let (series, actor) = (&call.services().series, call.actor());
    let caller = SeriesCaller { series, actor };
    let begin = async || call.begin_expansion().await;
    if is_dry_run {
        let result = caller.try_until_current(from, draft, begin, async |from, draft, plan| {
            series.dry_run(actor, from, draft, plan).await
        });
        let record = SplitOrDryRun::DryRun(DryRunRecord::new(&result.await??));
        return Ok(dry_run::mark(reply::ok(&record)?));
    }
    let split = caller.split(from, draft, begin).await??;
    reply::ok(&SplitOrDryRun::Split(SplitRecord::new(split)))
}

/// Who updates a series.
pub(crate) struct SeriesCaller<'a> {
    pub(crate) series: &'a SeriesService,
    pub(crate) actor: Actor,
}

impl SeriesCaller<'_> {
    /// Updates a series. `begin` waits until the caller may compute how a plan moves.
    ///
    /// # Errors
    /// Those of `begin`; within, those of the use case.
    pub(crate) async fn split<P: Send + 'static>(
        &self,
        from: Target<TaskExecution>,
        draft: SeriesDraft,
        begin: impl AsyncFn() -> Result<P, ApiError>,
    ) -> Result<Result<SplitSeries, Failure>, ApiError> {
        let split =
            async |from, draft, plan| self.series.split(self.actor, from, draft, plan).await;
        self.try_until_current(from, draft, begin, split).await
    }

    /// Repeats `attempt` until the plan of the series has not changed since it was read.
    async fn try_until_current<P: Send + 'static, T>(
        &self,
        from: Target<TaskExecution>,
        draft: SeriesDraft,
        begin: impl AsyncFn() -> Result<P, ApiError>,
        attempt: impl AsyncFn(
            Target<TaskExecution>,
            Arc<SeriesDraft>,
            Option<PlanMove>,
        ) -> Result<Option<T>, Failure>,
    ) -> Result<Result<T, Failure>, ApiError> {
        let (Target { id, expected }, draft) = (from, Arc::new(draft));
        for number in 0..TRIES {
            if number > 0 {
                sleep(RETRY_PAUSE).await;
            }
            let plan = match self.series.plan(self.actor, id, &draft).await {
                Ok(plan) => plan,
                Err(failure) => return Ok(Err(failure)),
            };
            let plan = match plan {
                // Its rule may be hostile.
                Some(plan) => Some(block(begin().await?, move || plan.moved()).await?),
                None => None,
            };
            match attempt(Target { id, expected }, Arc::clone(&draft), plan).await {
                Ok(None) => {}
                Ok(Some(done)) => return Ok(Ok(done)),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        let cause = format!("the plan of the series was being changed at each of {TRIES} tries");
        Ok(Err(Failure::Store(StoreError::Unavailable(cause))))
    }
}

/// Answers a repeated PUT with the series between which the execution has moved.
async fn repeated(call: Call) -> HandlerResult {
    let (actor, id) = (call.actor(), call.id::<TaskExecutionId>());
    let created = call.services().executions.get(actor, id).await?.record.series_id;
    let events = &call.services().events;
    let record = events.of_record(actor, id).await?;
    let mut query = EventQuery { after: 0, limit: 1_000, condition: Condition::All(Vec::new()) };
    let mut updating = None;
    loop {
        let page = events.page_of(actor, &record, query.clone()).await?;
        let moves = page.events.iter().filter_map(|event| moved_from(&event.changes));
        updating = moves.fold(updating, |_, moved| Some(moved));
        if !page.more {
            break;
        }
        query.after = page.next;
    }
    let missing = || ApiError::internal("a split without an event");
    let (updating, created) = (updating.ok_or_else(missing)?, created.ok_or_else(missing)?);
    reply::ok(&SplitRecord::new(SplitSeries { updating, created }))
}

/// The series that the execution left, if these changes of an event moved it to another one.
fn moved_from(changes: &str) -> Option<SeriesId> {
    let changes: Vec<serde_json::Value> = serde_json::from_str(changes).ok()?;
    let of_series =
        |change: &&serde_json::Value| change.get("member").is_some_and(|of| of == "seriesId");
    let before = changes.iter().find(of_series)?.get("before")?.as_str()?;
    ids::parse(before).map(SeriesId)
}

impl JsonObject for SeriesDraft {
    /// Reads the body; steps and actions are matched by seriesId.
    fn read(fields: &mut Fields<'_>) -> Self {
        read_series_update(fields)
    }
}

/// Reads the body of `PUT /v1/task-executions/{id}/series`.
pub fn read_series_update(fields: &mut Fields<'_>) -> SeriesDraft {
    SeriesDraft { series_id: fields.uuid("seriesId"), content: read_content(fields, "seriesId") }
}

/// The answer of PUT.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = SplitOrRehearsal)]
enum SplitOrDryRun {
    /// The old and the new series.
    Split(SplitRecord),
    /// What would happen, with `dryRun=true`: created and deleted are empty.
    DryRun(DryRunRecord),
}

/// The old and the new series.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = SeriesUpdated)]
struct SplitRecord {
    /// The old series. Executions before the one in the path stay in it.
    updating_series_id: Id,
    /// The new series, with the changed executions.
    created_series_id: Id,
}

impl SplitRecord {
    fn new(split: SplitSeries) -> Self {
        let SplitSeries { updating, created } = split;
        Self { updating_series_id: Id::of(updating), created_series_id: Id::of(created) }
    }
}
