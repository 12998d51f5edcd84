//! Task executions over HTTP.

mod content;
mod copy;
mod create;
mod list;
mod patch;
mod summary;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::{CopyDraft, Operation};
use patrol_domain::{
    Target, Versioned,
    task_execution::{
        ContentDraft, ExecutionDraft, ExecutionList, ExecutionPatch, Moment, TaskExecution,
    },
};
use patrol_record::{ExecutionRecord, value::Id};
use utoipa::OpenApi;

pub(crate) use content::{ActionPuts, SeriesPut, read_content, read_step};
pub use create::read_execution;
pub use patch::read_execution_patch;

use crate::{
    error::{ApiError, HandlerResult},
    list as lists,
    log::ChangedRecords,
    openapi::DocumentOf,
    reply,
    route::{
        Api, Call, Endpoint, FaultStyle, IdFault, Repeated, SeveralFault, WithBody, api_resource,
    },
};
use content::TaskExecutionPut;
use copy::{CopiedRecord, CopyPost};
use create::TaskExecutionPost;
use patch::TaskExecutionPatch;
use summary::ReplacedRecord;
pub(crate) use summary::SummaryRecord;

/// Registers the resources of executions.
pub(crate) fn configure(api: &mut Api<'_>) {
    let read = Endpoint::from(Operation::Read);
    let plan = Endpoint::from(Operation::Plan);
    api.service(api_resource("/task-executions").post(plan, create, Repeated(created)))
        .service(
            api_resource("/task-executions/info")
                .get(lists::endpoint::<ExecutionList>(Operation::Read), list),
        )
        .service(
            api_resource("/task-executions/{id}")
                .get(read.faults(TOP), get)
                .put(plan.faults(SEVERAL_AT_TOP), replace, Repeated(replaced))
                .patch(plan.faults(SEVERAL_IN_DETAIL), patch, Repeated(patched))
                .delete(plan.faults(TOP), delete),
        )
        .service(api_resource("/task-executions/{id}/copy").post(
            plan.faults(FaultStyle::BODY_AS_INPUT),
            copy,
            Repeated(copied),
        ));
}

/// The list in the API document.
type ListDocument = DocumentOf<ExecutionList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create, get, replace, patch, delete, copy),
    tags((
        name = "Task executions",
        description = "Rounds: runs of scheduled tasks, and others made by hand. Each has steps and actions."
    ))
)]
pub(crate) struct Description;

/// A malformed id is reported at the top level.
const TOP: FaultStyle = FaultStyle { id: IdFault::Top, ..FaultStyle::PLAIN };

/// A malformed id and several resources are reported at the top level.
const SEVERAL_AT_TOP: FaultStyle = FaultStyle { several: SeveralFault::Top, ..TOP };

/// Several resources are reported in a detail.
const SEVERAL_IN_DETAIL: FaultStyle =
    FaultStyle { several: SeveralFault::Detail, ..FaultStyle::PLAIN };

/// List task executions
///
/// Filters, sorts and pages. Without a limit the whole list is streamed: the server holds a few
/// rows at a time. A list that fails midway ends the connection without the last chunk, so that
/// it never looks complete. Each user may run 4 lists without a limit or with one above 1,000 at
/// once; another one waits up to 5 seconds and is then answered with 429. A list whose first item
/// takes more than 10 seconds is answered with 503.
#[utoipa::path(
    get,
    path = "/task-executions/info",
    operation_id = "getTaskExecutions",
    params(ListDocument),
    responses(
        (
            status = 200,
            description = "The executions that match.",
            content((ListDocument = "application/json"), (String = "text/csv")),
        ),
    ),
)]
async fn list(call: Call) -> HandlerResult {
    let executions = &call.services().executions;
    lists::answer::<ExecutionList>(&call, |query, _| Ok(executions.list(call.actor(), query)?))
        .await
}

/// Make a task execution by hand
///
/// A run of a scheduled task, with the present actions of its check-lists, or an execution without
/// one. It is PENDING and in no series, so that later changes of the task leave it as it is.
#[utoipa::path(
    post,
    path = "/task-executions",
    operation_id = "postTaskExecution",
    request_body = TaskExecutionPost,
    responses(
        (
            status = 201,
            description = "The execution was made.",
            body = ExecutionRecord<'_>,
            headers(("Location"), ("ETag")),
        ),
    ),
)]
async fn create(WithBody(call, draft): WithBody<ExecutionDraft>) -> HandlerResult {
    let made = call.services().executions.create(call.actor(), draft).await?;
    Ok(reply::with_changed(
        reply_created(&made, call.moment())?,
        ChangedRecords::one(made.record.id.0),
    ))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call) -> HandlerResult {
    let found = call.services().executions.get(call.actor(), call.changed()?).await?;
    reply_created(&found, call.moment())
}

fn reply_created(made: &Versioned<TaskExecution>, moment: Moment) -> HandlerResult {
    let Versioned { record, version } = made;
    let shown = ExecutionRecord::shown(record, moment);
    let answer = reply::created(&shown, "/task-executions", record.id.0)?;
    reply::with_version(answer, *version)
}

/// Read a task execution
#[utoipa::path(
    get,
    path = "/task-executions/{id}",
    operation_id = "getTaskExecution",
    params(("id" = Id, Path, description = "The task execution."), ("If-None-Match", Header)),
    responses((status = 200, description = "The full record.", body = ExecutionRecord<'_>)),
)]
async fn get(call: Call) -> HandlerResult {
    call.has_room_for_answer()?;
    let found = call.services().executions.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(
        call.conditions(),
        found.version,
        &ExecutionRecord::shown(&found.record, call.moment()),
    )
}

/// Replace the content of a task execution
///
/// Steps and actions are matched by id and keep their results; those without an id are new;
/// stored ones that the body does not contain are removed. A change of the type removes the result of an action. A COMPLETED
/// execution cannot be replaced.
#[utoipa::path(
    put,
    path = "/task-executions/{id}",
    operation_id = "putTaskExecution",
    params(("id" = Id, Path, description = "The task execution."), ("If-Match", Header)),
    request_body = TaskExecutionPut,
    responses((
        status = 200,
        description = "The execution was replaced.",
        body = ReplacedRecord<'_>,
    )),
)]
async fn replace(WithBody(call, draft): WithBody<ContentDraft>) -> HandlerResult {
    let at = target(&call).await?;
    let replaced = call.services().executions.replace(call.actor(), at, draft).await?;
    let summary = replaced.record.summary();
    reply::versioned(&ReplacedRecord::new(&summary, call.moment()), replaced.version)
}

/// Change some members of a task execution
///
/// Absent members are unchanged; null clears description. Of a COMPLETED execution only published
/// and tags can be changed.
#[utoipa::path(
    patch,
    path = "/task-executions/{id}",
    operation_id = "patchTaskExecution",
    params(("id" = Id, Path, description = "The task execution."), ("If-Match", Header)),
    request_body = TaskExecutionPatch,
    responses((
        status = 200,
        description = "The summary record after the change.",
        body = SummaryRecord<'_>,
    )),
)]
async fn patch(WithBody(call, patch): WithBody<ExecutionPatch>) -> HandlerResult {
    let at = target(&call).await?;
    let patched = call.services().executions.patch(call.actor(), at, patch).await?;
    let summary = patched.record.summary();
    reply::versioned(&SummaryRecord::new(&summary, call.moment()), patched.version)
}

/// Delete a task execution permanently
///
/// Possible in every state.
#[utoipa::path(
    delete,
    path = "/task-executions/{id}",
    operation_id = "deleteTaskExecution",
    params(("id" = Id, Path, description = "The task execution."), ("If-Match", Header)),
    responses((status = 204, description = "The execution is deleted.")),
)]
async fn delete(call: Call) -> HandlerResult {
    let at = target(&call).await?;
    call.services().executions.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// Copy task executions
///
/// Copies every execution in taskIds, all or none. Copies are PENDING, without results,
/// performer and series. The response is the copy of the execution in the path if taskIds contains
/// it, else the first copy. A wrong Content-Type is 400 here.
#[utoipa::path(
    post,
    path = "/task-executions/{id}/copy",
    operation_id = "postTaskExecutionCopy",
    params(("id" = Id, Path, description = "The task execution.")),
    request_body = CopyPost,
    responses((status = 200, description = "The executions were copied.", body = CopiedRecord<'_>)),
)]
async fn copy(WithBody(call, draft): WithBody<CopyDraft>) -> HandlerResult {
    let copies = draft.task_ids.as_ref().map_or(1, Vec::len);
    let copy = call.services().executions.copy(call.actor(), call.id(), draft).await?;
    let answer = reply::ok(&CopiedRecord::new(&copy))?;
    Ok(reply::with_changed(answer, ChangedRecords::first_of(copy.id.0, copies)))
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced(call: Call) -> HandlerResult {
    let found = call.services().executions.get(call.actor(), call.id()).await?;
    let summary = found.record.summary();
    reply::versioned(&ReplacedRecord::new(&summary, call.moment()), found.version)
}

/// Answers a repeated PATCH with the record as it is now.
async fn patched(call: Call) -> HandlerResult {
    let found = call.services().executions.get(call.actor(), call.id()).await?;
    let summary = found.record.summary();
    reply::versioned(&SummaryRecord::new(&summary, call.moment()), found.version)
}

/// Answers a repeated copy with the returned copy as it is now.
async fn copied(call: Call) -> HandlerResult {
    let copy = call.services().executions.get(call.actor(), call.changed()?).await?;
    reply::ok(&CopiedRecord::new(&copy.record))
}

/// The execution in the path, with its expected version from `If-Match`.
pub(crate) async fn target(call: &Call) -> Result<Target<TaskExecution>, ApiError> {
    let executions = &call.services().executions;
    call.target(|actor, id| executions.get(actor, id)).await
}
