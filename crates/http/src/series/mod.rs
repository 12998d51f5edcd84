//! Series of executions: PUT /v1/task-executions/{id}/series.

use patrol_application::{Operation, SplitSeries};
use patrol_domain::{
    event::EventQuery,
    ids::{self, SeriesId, TaskExecutionId},
    list::Condition,
    series::SeriesDraft,
};
use patrol_json::fields::Fields;
use patrol_record::value::Id;
use serde::Serialize;
use utoipa::{OpenApi, ToSchema};

use crate::{
    error::ApiError,
    openapi::Part,
    reply,
    route::{Answer, Api, Call, Endpoint, FaultStyle, JsonObject, RuleFault, WithBody, resource},
    task_execution::{SeriesPut, read_content, target},
};

/// Registers the resource of series.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/task-executions/{id}/series").put(split, repeated));
}

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(split),
    tags((name = "Task executions"))
)]
struct Description;

/// The part of the API document about series.
pub(crate) fn part() -> Part {
    Part::of::<Description>(include_str!("examples.json"))
}

/// All faults of the body are `input.data.invalid`.
struct Split;

impl Endpoint for Split {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = FaultStyle { rules: RuleFault::Input, ..FaultStyle::PLAIN };
}

/// Update this execution and those that follow in its series
///
/// The execution, which must be PENDING, and every PENDING execution of its series that does not
/// start earlier move to a new series with the new content. startAt and endAt apply to the
/// execution in the path; the other executions are shifted by the same difference and get the
/// same duration. Steps and actions are matched by seriesId.
#[utoipa::path(
    put,
    path = "/task-executions/{id}/series",
    operation_id = "putTaskExecutionSeries",
    params(("id" = Id, Path, description = "The task execution."), ("If-Match", Header)),
    request_body = SeriesPut,
    responses((status = 200, description = "The series was split.", body = SplitRecord)),
)]
async fn split(WithBody(call, draft): WithBody<Split, SeriesDraft>) -> Answer {
    let from = target(&call).await?;
    let split = call.services().series.split(call.actor(), from, draft).await?;
    reply::ok(&SplitRecord::new(split))
}

/// PUT that is repeated: the series between which the execution has moved.
async fn repeated(call: Call<Split>) -> Answer {
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
        Self { series_id: fields.uuid("seriesId"), content: read_content(fields, "seriesId") }
    }
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
