//! Points and their history over HTTP.

mod draft;
mod history;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use patrol_domain::{
    At,
    point::{HistoryList, Point, PointDraft, PointList},
};
use patrol_record::{PointRecord, value::Id};
use utoipa::OpenApi;

use crate::{
    error::{ApiError, HandlerResult},
    list::{self as lists, List},
    log::ChangedRecords,
    openapi::{DocumentOf, DocumentPart},
    reply,
    route::{Api, Call, Plan, Read, WithBody, api_resource},
    schema,
};
use draft::{PointPut, Replacement};

/// Registers the resources of points.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(api_resource("/locations/points").get(list).post(create, created))
        .service(api_resource("/locations/points/history").get(history))
        .service(
            api_resource("/locations/points/{id}").get(get).put(replace, replaced).delete(delete),
        );
}

/// The list in the API document.
type ListDocument = DocumentOf<PointList>;

/// The history in the API document.
type HistoryDocument = DocumentOf<HistoryList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create, history, get, replace, delete),
    tags((name = "Points", description = "Points of locations, and their history."))
)]
struct Description;

/// The part of the API document about points.
pub(crate) fn part() -> DocumentPart {
    DocumentPart::of::<Description>(include_str!("examples.json"))
        .with_rule("PointPut", schema::position_rule())
}

/// List points
///
/// Filters, sorts and pages.
#[utoipa::path(
    get,
    path = "/locations/points",
    operation_id = "getPoints",
    params(ListDocument),
    responses((status = 200, description = "The points that match.", body = ListDocument)),
)]
async fn list(call: Call<List<Read, PointList>>) -> HandlerResult {
    let points = &call.services().points;
    lists::answer(&call, |query, ()| Ok(points.list(call.actor(), query)?)).await
}

/// Create a point
///
/// rfidCode and qrCode are each unique among all points.
#[utoipa::path(
    post,
    path = "/locations/points",
    operation_id = "postPoint",
    request_body = PointPut,
    responses(
        (
            status = 201,
            description = "The point was created.",
            body = PointRecord<'_>,
            headers(("Location")),
        ),
    ),
)]
async fn create(WithBody(call, draft): WithBody<Plan, PointDraft>) -> HandlerResult {
    let created = call.services().points.create(call.actor(), draft).await?;
    let answer = reply_created(&created)?;
    Ok(reply::with_changed(answer, ChangedRecords::one(created.id.0)))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call<Plan>) -> HandlerResult {
    let point = call.services().points.get(call.actor(), call.changed()?).await?;
    reply_created(&point.record)
}

fn reply_created(point: &Point) -> HandlerResult {
    reply::created(&PointRecord::new(point), "/locations/points", point.id.0)
}

/// Read a point
#[utoipa::path(
    get,
    path = "/locations/points/{id}",
    operation_id = "getPoint",
    params(("id" = Id, Path, description = "The point."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The point.",
            body = PointRecord<'_>,
            headers(("ETag")),
        ),
        (status = 304, description = "The client has this version already.", headers(("ETag"))),
    ),
)]
async fn get(call: Call<Read>) -> HandlerResult {
    let found = call.services().points.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(call.conditions(), found.version, &PointRecord::new(&found.record))
}

/// Replace a point
///
/// Members that are absent or null become null or empty.
#[utoipa::path(
    put,
    path = "/locations/points/{id}",
    operation_id = "putPoint",
    params(("id" = Id, Path, description = "The point."), ("If-Match", Header)),
    request_body = PointPut,
    responses(
        (
            status = 200,
            description = "The point was replaced.",
            body = PointRecord<'_>,
            headers(("ETag")),
        ),
    ),
)]
async fn replace(WithBody(call, Replacement(draft)): WithBody<Plan, Replacement>) -> HandlerResult {
    let at = target(&call).await?;
    let replaced = call.services().points.replace(call.actor(), at, draft).await?;
    reply::versioned(&PointRecord::new(&replaced.record), replaced.version)
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced(call: Call<Plan>) -> HandlerResult {
    let found = call.services().points.get(call.actor(), call.id()).await?;
    reply::versioned(&PointRecord::new(&found.record), found.version)
}

/// Delete a point
///
/// The history of the point is kept, and so is its id in steps.
#[utoipa::path(
    delete,
    path = "/locations/points/{id}",
    operation_id = "deletePoint",
    params(("id" = Id, Path, description = "The point."), ("If-Match", Header)),
    responses((status = 204, description = "The point is deleted.")),
)]
async fn delete(call: Call<Plan>) -> HandlerResult {
    let at = target(&call).await?;
    call.services().points.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// The point in the path, with the expected version from `If-Match`.
async fn target(call: &Call<Plan>) -> Result<At<Point>, ApiError> {
    let points = &call.services().points;
    call.target(|actor, id| points.get(actor, id)).await
}

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
async fn history(call: Call<List<Read, HistoryList>>) -> HandlerResult {
    let points = &call.services().points;
    lists::answer(&call, |query, ()| Ok(points.history(call.actor(), query)?)).await
}
