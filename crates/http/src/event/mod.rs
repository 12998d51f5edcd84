//! The log of changes over HTTP.

mod list;
mod record;
#[cfg(test)]
mod tests;
mod wait;

use std::time::Duration;

use patrol_application::{Actor, Failure, Operation};
use patrol_domain::{
    RecordId,
    event::{EventList, EventPage, EventQuery},
    ids::{
        CheckListId, GraphicPlanId, LocationId, MediaId, PointId, ScheduledTaskId, TaskExecutionId,
        UserId, Uuid,
    },
};
use patrol_record::value::Id;
use utoipa::OpenApi;

use self::{list::Options, record::PageRecord, wait::wait_for_page};
use crate::{
    error::{ApiError, HandlerResult},
    list as lists,
    openapi::DocumentOf,
    reply,
    route::{Api, Call, api_resource},
};

/// Registers the resources of the log of changes.
pub(crate) fn configure(api: &mut Api<'_>) {
    let audit = lists::endpoint::<EventList>(Operation::Audit);
    api.service(api_resource("/events").no_store().get(audit, follow));
    configure_records(api);
}

/// The parameters in the API document.
type Parameters = DocumentOf<EventList>;

/// Declares the resource of the events of one record: its handler, its registration, and its
/// operation in the API document.
macro_rules! record_events {
    ($(
        $(#[$about:meta])*
        $handler:ident($id:ty), $path:tt, $operation:tt, $record:tt;
    )+) => {
        fn configure_records(api: &mut Api<'_>) {
            let read = lists::endpoint::<EventList>(Operation::Read);
            $(api.service(api_resource($path).no_store().get(read, $handler));)+
        }

        /// The operations in the API document.
        #[derive(OpenApi)]
        #[openapi(
            paths(follow, $($handler),+),
            tags((name = "Events", description = "The log of changes: what happened to every \
                                                  record, by whom and when."))
        )]
        pub(crate) struct Description;

        $(
            $(#[$about])*
            #[utoipa::path(
                get,
                path = $path,
                operation_id = $operation,
                params(("id" = Id, Path, description = $record), Parameters),
                responses((status = 200, description = "A part of its log.", body = PageRecord<'_>)),
            )]
            async fn $handler(call: Call) -> HandlerResult {
                of_record::<$id>(&call).await
            }
        )+
    };
}

record_events! {
    /// List the changes of a task execution
    ///
    /// Includes the changes of a deleted execution. The import of an execution is not listed.
    of_execution(TaskExecutionId), "/task-executions/{id}/events", "getTaskExecutionEvents",
        "The task execution.";
    /// List the changes of a scheduled task
    ///
    /// Includes the changes of a deleted task. The import of a task is not listed.
    of_scheduled_task(ScheduledTaskId), "/scheduled-tasks/{id}/events", "getScheduledTaskEvents",
        "The scheduled task.";
    /// List the changes of a user
    ///
    /// Includes the changes of a deleted user. The import of a user is not listed. PINs are never
    /// shown.
    of_user(UserId), "/users/{id}/events", "getUserEvents", "The user.";
    /// List the changes of a location
    ///
    /// Includes the changes of a deleted location. The import of a location is not listed.
    of_location(LocationId), "/locations/{id}/events", "getLocationEvents", "The location.";
    /// List the changes of a point
    ///
    /// Includes the changes of a deleted point. The import of a point is not listed.
    of_point(PointId), "/locations/points/{id}/events", "getPointEvents", "The point.";
    /// List the changes of a graphic plan
    ///
    /// Includes the deletion. The import of a plan is not listed.
    of_graphic_plan(GraphicPlanId), "/locations/graphic-plans/{id}/events", "getGraphicPlanEvents",
        "The graphic plan.";
    /// List the changes of a medium
    ///
    /// Its upload and its removal.
    of_medium(MediaId), "/media/{id}/events", "getMediumEvents", "The medium.";
    /// List the changes of a check-list
    ///
    /// Includes the changes of its actions, and those of a deleted check-list. The import of a
    /// check-list is not listed.
    of_check_list(CheckListId), "/check-lists/{id}/events", "getCheckListEvents", "The check-list.";
}

/// Follow the log of changes
///
/// In order of position, from the oldest. A client that sends `next` of each response as `after` of
/// the next request gets every event exactly once. A request searches a bounded part of the log:
/// with filters `data` may be empty although `more` is true. Administrators and managers only.
#[utoipa::path(
    get,
    path = "/events",
    operation_id = "getEvents",
    params(Parameters),
    responses((status = 200, description = "A part of the log.", body = PageRecord<'_>)),
)]
async fn follow(call: Call) -> HandlerResult {
    let events = &call.services().events;
    let request = LogRequest::of(&call)?;
    request.answer(&call, async |actor, query| events.page(actor, query).await).await
}

/// The events of the record in the path.
async fn of_record<I: RecordId + From<Uuid>>(call: &Call) -> HandlerResult {
    let events = &call.services().events;
    let request = LogRequest::of(call)?;
    let record = events.of_record(call.actor(), call.id::<I>()).await?;
    let read = async |actor, query| events.page_of(actor, &record, query).await;
    request.answer(call, read).await
}

/// The requested part of the log.
struct LogRequest {
    query: EventQuery,
    wait: Duration,
}

impl LogRequest {
    /// Reads the query string.
    ///
    /// # Errors
    /// Those of [`lists::parse_query`].
    fn of(call: &Call) -> Result<Self, ApiError> {
        let request = lists::parse_query::<EventList>(call.query(), call.moment())?;
        let Options { after, limit, wait } = request.options;
        Ok(Self { query: EventQuery { after, limit, condition: request.query.condition }, wait })
    }

    /// Answers with the page that `read` returns, as soon as the page has events or the time to
    /// wait is over.
    async fn answer(
        self,
        call: &Call,
        read: impl AsyncFn(Actor, EventQuery) -> Result<EventPage, Failure>,
    ) -> HandlerResult {
        let page = wait_for_page(call, self.query, self.wait, read).await?;
        reply::ok(&PageRecord::new(&page))
    }
}
