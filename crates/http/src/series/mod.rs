//! Series of executions: PUT /v1/task-executions/{id}/series.

use patrol_application::{Operation, SplitSeries};
use patrol_domain::{ids::SeriesId, series::SeriesDraft};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    reply,
    route::{Answer, Api, Endpoint, FaultStyle, JsonObject, RuleFault, WithBody, resource},
    task_execution::{content, expected},
};

/// Registers the resource of series.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/task-executions/{id}/series").put(split));
}

/// All faults of the body are `input.data.invalid`.
struct Split;

impl Endpoint for Split {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = FaultStyle { rules: RuleFault::Input, ..FaultStyle::PLAIN };
}

/// Moves an execution and the later ones of its series to a new series with new content.
async fn split(WithBody(call, draft): WithBody<Split, SeriesDraft>) -> Answer {
    let expected = expected(&call).await?;
    let split = call.services().series.split(call.actor(), call.id(), expected, draft).await?;
    reply::ok(&SplitRecord::new(split))
}

impl JsonObject for SeriesDraft {
    /// Reads the body; steps and actions are matched by seriesId.
    fn read(fields: &mut Fields<'_>) -> Self {
        Self { series_id: fields.uuid("seriesId"), content: content(fields, "seriesId") }
    }
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
