//! POST /v1/scheduled-tasks/preview.

use actix_web::web;
use patrol_application::{Preview, PreviewDraft};
use patrol_record::{OccurrenceRecord, json::fields::Fields, value::Time};
use serde::Serialize;
use tracing::Span;
use utoipa::ToSchema;

use super::schedule::{SchedulePut, read_schedule};
use crate::{
    error::{ApiError, HandlerResult},
    reply,
    route::{JsonObject, WithBody},
    schema::body,
};

body! {
    /// A schedule, and which of its occurrences to return.
    PreviewPost {
        schedule: SchedulePut,
        /// Occurrences with startAt at this time or later; now when absent.
        from: Option<Time>,
        /// The maximum number of occurrences; 50 when absent.
        #[schema(minimum = 1, maximum = 1_000)]
        limit: Option<i64>,
    }
}

impl JsonObject for PreviewDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            schedule: fields.object("schedule", read_schedule),
            from: fields.timestamp("from"),
            limit: fields.integer("limit"),
        }
    }
}

/// The occurrences of a schedule.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = Preview)]
struct PreviewRecord {
    /// In order of startAt.
    occurrences: Vec<OccurrenceRecord>,
    /// Whether there are more.
    more: bool,
}

impl PreviewRecord {
    fn new(preview: &Preview) -> Self {
        let Preview { occurrences, has_more } = preview;
        Self {
            occurrences: occurrences.iter().map(OccurrenceRecord::new).collect(),
            more: *has_more,
        }
    }
}

/// Preview a schedule
///
/// The occurrences that the schedule has from a time on. Nothing is stored.
#[utoipa::path(
    post,
    path = "/scheduled-tasks/preview",
    operation_id = "postScheduledTaskPreview",
    request_body = PreviewPost,
    responses((status = 200, description = "The occurrences.", body = PreviewRecord)),
)]
pub(super) async fn preview(WithBody(call, draft): WithBody<PreviewDraft>) -> HandlerResult {
    let permit = call.begin_expansion().await?;
    let (schedules, actor, span) =
        (call.services().schedules.clone(), call.actor(), Span::current());
    // On a thread for blocking work: a hostile rule must not hold up other requests. The permit
    // ends with the work, also when the client has left.
    let work = move || {
        let _permit = permit;
        span.in_scope(|| schedules.preview(actor, &draft))
    };
    let preview = web::block(work).await.map_err(|cause| ApiError::internal(cause.to_string()))?;
    reply::ok(&PreviewRecord::new(&preview?))
}
