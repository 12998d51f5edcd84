//! POST /v1/scheduled-tasks/preview.

use patrol_application::{Preview, PreviewDraft};
use patrol_record::{OccurrenceRecord, json::fields::Fields, value::Time};
use serde::Serialize;
use tracing::Span;
use utoipa::ToSchema;

use super::schedule::{SchedulePut, read_schedule};
use crate::{
    error::HandlerResult,
    reply,
    request_limit::block,
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
    // The rule may be hostile.
    let preview = block(permit, move || span.in_scope(|| schedules.preview(actor, &draft))).await?;
    reply::ok(&PreviewRecord::new(&preview?))
}
