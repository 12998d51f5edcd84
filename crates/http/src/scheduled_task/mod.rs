//! Scheduled tasks over HTTP.

mod draft;
mod list;
mod plan_dry_run;
mod preview;
mod schedule;
#[cfg(test)]
mod tests;

use patrol_application::{Operation, RecordService};
use patrol_domain::scheduled_task::{ScheduledTask, ScheduledTaskDraft};
use patrol_record::{ScheduledTaskRecord, json::fields::Fields, value::Id};
use utoipa::OpenApi;

use self::{
    draft::{ScheduledTaskPost, ScheduledTaskPut},
    list::{TasksWithNextStart, store_query},
    plan_dry_run::Replaced,
};
use crate::{
    dry_run,
    error::{ApiError, HandlerResult},
    list as lists,
    record::{self, RecordResource, RecordTexts, Replacement},
    reply,
    route::{Api, Call, Endpoint, Repeated, WithBody, api_resource},
    services::Services,
};
pub(crate) use plan_dry_run::DryRunRecord;

/// Registers the resources of scheduled tasks.
pub(crate) fn configure(api: &mut Api<'_>) {
    let (create, created) = (record::create::<ScheduledTask>, record::created::<ScheduledTask>);
    let may_be_dry_run = Endpoint::from(Operation::Plan).parameters(dry_run::is_parameter);
    let tasks = api_resource(ScheduledTask::PATH)
        .get(lists::endpoint::<TasksWithNextStart>(Operation::Read), list)
        .post(Operation::Plan, create, Repeated(created));
    let task = api_resource(record::item_path::<ScheduledTask>())
        .get(Operation::Read, record::get::<ScheduledTask>)
        .put(may_be_dry_run, replace, Repeated(replaced))
        .delete(Operation::Plan, record::delete::<ScheduledTask>);
    api.service(tasks)
        .service(api_resource("/scheduled-tasks/preview").post(
            Operation::Read,
            preview::preview,
            Repeated(preview::preview),
        ))
        .service(task);
}

impl RecordResource for ScheduledTask {
    const PATH: &'static str = "/scheduled-tasks";
    const UNCHANGEABLE: &'static [&'static str] = &["id", "seriesId", "nextStartAt"];
    const TEXTS: RecordTexts = RecordTexts {
        name: "ScheduledTask",
        noun: "scheduled task",
        list: [
            "Filters, sorts and pages. An item is a task without its steps.",
            "The tasks that match.",
        ],
        create: "A step with checkListId gets, besides its own actions, those that the check-list has \
                 when an execution is made.",
        read: (Some("The `ETag` does not depend on nextStartAt."), "The full record."),
        replace: None,
        delete: "Future PENDING executions of the schedule that were not edited are deleted too; all \
                 others keep the id of the task.",
    };

    type Listing = TasksWithNextStart;
    type Post = ScheduledTaskPost;
    type Put = ScheduledTaskPut;

    fn service(services: &Services) -> &RecordService<Self> {
        &services.scheduled_tasks
    }

    fn read_content(fields: &mut Fields<'_>) -> ScheduledTaskDraft {
        draft::members(fields)
    }

    async fn answer<'a>(&'a self, call: &'a Call) -> Result<ScheduledTaskRecord<'a>, ApiError> {
        let next = call.shared().next_starts.find(self, (call.caller().user, call.now())).await?;
        Ok(ScheduledTaskRecord::new(self, Some(next)))
    }
}

/// The operations in the API document, besides those of every record. Its PUT may be a dry run.
#[derive(OpenApi)]
#[openapi(
    paths(preview::preview, replace),
    tags((
        name = "Scheduled tasks",
        description = "The plans of rounds: what is to be done where, by whom and when."
    ))
)]
pub(crate) struct Description;

/// Answers GET of the list.
async fn list(call: Call) -> HandlerResult {
    let tasks = &call.services().scheduled_tasks;
    let list = |query, ()| {
        let found = tasks.list(call.actor(), store_query(query))?;
        Ok(call.shared().next_starts.listing(found, (call.caller().user, call.now())))
    };
    lists::answer::<TasksWithNextStart>(&call, list).await
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
async fn replace(WithBody(call, body): WithBody<Replacement<ScheduledTask>>) -> HandlerResult {
    let is_dry_run = call.is_dry_run()?;
    let (at, Replacement(draft)) = (record::target(&call).await?, body);
    if is_dry_run {
        return plan_dry_run::answer(&call, at, draft).await;
    }
    let replaced = call.services().scheduled_tasks.replace(call.actor(), at, draft).await?;
    reply::versioned(&Replaced::Task(replaced.record.answer(&call).await?), replaced.version)
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced(call: Call) -> HandlerResult {
    record::reply_current::<ScheduledTask>(&call).await
}
