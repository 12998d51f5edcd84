//! Series of executions: PUT /v1/task-executions/{id}/series.

use actix_web::http::Method;
use patrol_application::{Operation, SplitSeries};
use patrol_domain::{ids::SeriesId, series::SeriesDraft};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    reply,
    route::{Answer, Call, FaultStyle, Route, RuleFault},
    task_execution::{content, expected},
};

/// The route of series; all faults of the body are `input.data.invalid`.
pub(crate) fn routes() -> Vec<Route> {
    let style = FaultStyle { rules: RuleFault::Input, ..FaultStyle::JSON };
    let path = "/task-executions/{id}/series";
    vec![Route::json(Method::PUT, path, Operation::Plan, style, None, read, split)]
}

/// Moves an execution and the later ones of its series to a new series with new content.
async fn split(call: Call, draft: SeriesDraft) -> Answer {
    let expected = expected(&call).await?;
    let split = call.services().series.split(call.actor(), call.id(), expected, draft).await?;
    reply::ok(&SplitRecord::new(split))
}

/// Reads the body; steps and actions are matched by seriesId.
fn read(fields: &mut Fields<'_>) -> SeriesDraft {
    SeriesDraft { series_id: fields.uuid("seriesId"), content: content(fields, "seriesId") }
}

/// The response of a series update: exactly these fields.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
struct SplitRecord {
    #[serde(serialize_with = "write::id")]
    updating_series_id: SeriesId,
    #[serde(serialize_with = "write::id")]
    created_series_id: SeriesId,
}

impl SplitRecord {
    fn new(split: SplitSeries) -> Self {
        let SplitSeries { updating, created } = split;
        Self { updating_series_id: updating, created_series_id: created }
    }
}
