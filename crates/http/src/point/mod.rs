//! Points and their history over HTTP.

mod draft;
mod history;
mod label;
mod list;

use patrol_application::{Operation, RecordService};
use patrol_domain::point::{HistoryList, Point, PointDraft, PointList};
use patrol_record::{json::fields::Fields, read_point};
use utoipa::OpenApi;

use crate::{
    error::HandlerResult,
    list as lists,
    openapi::DocumentOf,
    record::{self, RecordResource, RecordTexts},
    route::{Api, Call, api_resource},
    services::Services,
};
use draft::PointPut;

/// Registers the resources of points.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(record::collection::<Point>())
        .service(
            api_resource("/locations/points/history")
                .get(lists::endpoint::<HistoryList>(Operation::Read), history),
        )
        .service(api_resource("/locations/points/{id}/label").get(Operation::Read, label::label))
        .service(record::item::<Point>());
}

impl RecordResource for Point {
    const PATH: &'static str = "/locations/points";
    const TEXTS: RecordTexts = RecordTexts {
        name: "Point",
        noun: "point",
        list: ["Filters, sorts and pages.", "The points that match."],
        create: "rfidCode and qrCode are each unique among all points.",
        read: (None, "The point."),
        replace: Some([
            "Members that are absent or null become null or empty.",
            "The point was replaced.",
        ]),
        delete: "The history of the point is kept, and so is its id in steps.",
    };

    type Listing = PointList;
    type Post = PointPut;
    type Put = PointPut;

    fn service(services: &Services) -> &RecordService<Self> {
        &services.points
    }

    fn read_content(fields: &mut Fields<'_>) -> PointDraft {
        read_point(fields)
    }
}

/// The history in the API document.
type HistoryDocument = DocumentOf<HistoryList>;

/// The operations in the API document, besides those of every record.
#[derive(OpenApi)]
#[openapi(
    paths(history, label::label),
    tags((name = "Points", description = "Points of locations, and their history."))
)]
pub(crate) struct Description;

/// List the history of points
///
/// A record for every creation, replacement and deletion of a point. The history outlives the
/// point. The response does not repeat the filters.
#[utoipa::path(
    get,
    path = "/locations/points/history",
    operation_id = "getPointHistory",
    params(HistoryDocument),
    responses((status = 200, description = "The records.", body = HistoryDocument)),
)]
async fn history(call: Call) -> HandlerResult {
    let history = &call.services().point_history;
    lists::answer::<HistoryList>(&call, |query, ()| Ok(history.list(call.actor(), query)?)).await
}
