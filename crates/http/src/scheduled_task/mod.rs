//! Scheduled tasks over HTTP.

mod draft;
mod list;
mod next;
mod plan_dry_run;
mod preview;
mod schedule;
#[cfg(test)]
mod tests;

use patrol_application::Operation;
use patrol_domain::{
    At,
    scheduled_task::{ScheduledTask, ScheduledTaskDraft},
};
use patrol_record::{ScheduledTaskRecord, value::Id};
use utoipa::OpenApi;

use self::{
    draft::{Replacement, ScheduledTaskPost, ScheduledTaskPut},
    list::{TasksWithNextStart, store_query},
    plan_dry_run::Replaced,
};
use crate::{
    dry_run,
    error::{ApiError, HandlerResult},
    list::{self as lists, List},
    log::ChangedRecords,
    openapi::{DocumentOf, DocumentPart},
    reply,
    route::{Api, Call, Endpoint, Plan, Read, WithBody, api_resource},
};
pub(crate) use next::NextStarts;
pub(crate) use plan_dry_run::DryRunRecord;

/// Registers the resources of scheduled tasks.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(api_resource("/scheduled-tasks").get(list).post(create, created))
        .service(api_resource("/scheduled-tasks/preview").post(preview::preview, preview::preview))
        .service(
            api_resource("/scheduled-tasks/{id}").get(get).put(replace, replaced).delete(delete),
        );
}

/// PUT of a scheduled task, which may be a dry run.
struct Replace;

impl Endpoint for Replace {
    const OPERATION: Operation = Operation::Plan;

    fn has_parameter(parameter: &str) -> bool {
        parameter == dry_run::DRY_RUN
    }
}

/// The list in the API document.
type ListDocument = DocumentOf<TasksWithNextStart>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create, preview::preview, get, replace, delete),
    tags((
        name = "Scheduled tasks",
        description = "The plans of rounds: what is to be done where, by whom and when."
    ))
)]
struct Description;

/// The part of the API document about scheduled tasks.
pub(crate) fn part() -> DocumentPart {
    DocumentPart::of::<Description>(include_str!("examples.json"))
}

/// List scheduled tasks
///
/// Filters, sorts and pages. An item is a task without its steps.
#[utoipa::path(
    get,
    path = "/scheduled-tasks",
    operation_id = "getScheduledTasks",
    params(ListDocument),
    responses((status = 200, description = "The tasks that match.", body = ListDocument)),
)]
async fn list(call: Call<List<Read, TasksWithNextStart>>) -> HandlerResult {
    let tasks = &call.services().scheduled_tasks;
    let list = |query, ()| {
        let found = tasks.list(call.actor(), store_query(query))?;
        Ok(call.next_starts().listing(found, (call.caller().user, call.now())))
    };
    lists::answer(&call, list).await
}

/// Create a scheduled task
///
/// A step with checkListId gets, besides its own actions, those that the check-list has when an
/// execution is made.
#[utoipa::path(
    post,
    path = "/scheduled-tasks",
    operation_id = "postScheduledTask",
    request_body = ScheduledTaskPost,
    responses(
        (
            status = 201,
            description = "The task was created.",
            body = ScheduledTaskRecord<'_>,
            headers(("Location")),
        ),
    ),
)]
async fn create(WithBody(call, draft): WithBody<Plan, ScheduledTaskDraft>) -> HandlerResult {
    let created = call.services().scheduled_tasks.create(call.actor(), draft).await?;
    let answer = reply_created(&call, &created).await?;
    Ok(reply::with_changed(answer, ChangedRecords::one(created.id.0)))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call<Plan>) -> HandlerResult {
    let task = call.services().scheduled_tasks.get(call.actor(), call.changed()?).await?;
    reply_created(&call, &task.record).await
}

async fn reply_created(call: &Call<Plan>, task: &ScheduledTask) -> HandlerResult {
    reply::created(&record(call, task).await?, "/scheduled-tasks", task.id.0)
}

/// The full record at the time of the request.
async fn record<'a, E>(
    call: &Call<E>,
    task: &'a ScheduledTask,
) -> Result<ScheduledTaskRecord<'a>, ApiError> {
    let next = call.next_starts().find(task, (call.caller().user, call.now())).await?;
    Ok(ScheduledTaskRecord::new(task, Some(next)))
}

/// Read a scheduled task
///
/// The `ETag` does not depend on nextStartAt.
#[utoipa::path(
    get,
    path = "/scheduled-tasks/{id}",
    operation_id = "getScheduledTask",
    params(("id" = Id, Path, description = "The scheduled task."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The full record.",
            body = ScheduledTaskRecord<'_>,
            headers(("ETag")),
        ),
        (status = 304, description = "The client has this version already.", headers(("ETag"))),
    ),
)]
async fn get(call: Call<Read>) -> HandlerResult {
    let found = call.services().scheduled_tasks.get(call.actor(), call.id()).await?;
    // The next start is found only if it is shown, because a schedule may take long to expand.
    if let Some(answer) = reply::unchanged(call.conditions(), found.version) {
        return Ok(answer);
    }
    reply::versioned(&record(&call, &found.record).await?, found.version)
}

/// Replace a scheduled task
///
/// Steps and actions are matched by id; those without an id are new; stored ones that the body does
/// not contain are removed. Future PENDING executions of the schedule that were not edited follow within seconds.
/// With `dryRun=true` nothing is stored, and the answer tells what would happen to executions.
#[utoipa::path(
    put,
    path = "/scheduled-tasks/{id}",
    operation_id = "putScheduledTask",
    params(
        ("id" = Id, Path, description = "The scheduled task."),
        ("If-Match", Header),
        ("dryRun", Query),
    ),
    request_body = ScheduledTaskPut,
    responses(
        (
            status = 200,
            description = "The full record after the change; what would happen, with dryRun=true.",
            body = Replaced<'_>,
            headers(("ETag"), ("Patrol-Dry-Run")),
        ),
    ),
)]
async fn replace(WithBody(call, body): WithBody<Replace, Replacement>) -> HandlerResult {
    let is_dry_run = call.is_dry_run()?;
    let (at, Replacement(draft)) = (target(&call).await?, body);
    if is_dry_run {
        return plan_dry_run::answer(&call, at, draft).await;
    }
    let replaced = call.services().scheduled_tasks.replace(call.actor(), at, draft).await?;
    reply::versioned(&Replaced::Task(record(&call, &replaced.record).await?), replaced.version)
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced(call: Call<Replace>) -> HandlerResult {
    let found = call.services().scheduled_tasks.get(call.actor(), call.id()).await?;
    reply::versioned(&record(&call, &found.record).await?, found.version)
}

/// Delete a scheduled task
///
/// Future PENDING executions of the schedule that were not edited are deleted too; all others keep
/// the id of the task.
#[utoipa::path(
    delete,
    path = "/scheduled-tasks/{id}",
    operation_id = "deleteScheduledTask",
    params(("id" = Id, Path, description = "The scheduled task."), ("If-Match", Header)),
    responses((status = 204, description = "The task is deleted.")),
)]
async fn delete(call: Call<Plan>) -> HandlerResult {
    let at = target(&call).await?;
    call.services().scheduled_tasks.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// The task in the path, with the expected version from `If-Match`.
async fn target<E>(call: &Call<E>) -> Result<At<ScheduledTask>, ApiError> {
    let tasks = &call.services().scheduled_tasks;
    call.target(|actor, id| tasks.get(actor, id)).await
}
