//! Points and their history over HTTP.

mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::StatusCode;
use patrol_domain::point::{HistoryList, PointDraft};
use patrol_record::{PointRecord, value::Id};
use utoipa::OpenApi;

use crate::{
    list::{self as lists, List},
    log::Changed,
    openapi::{DocumentOf, Part},
    reply,
    route::{Answer, Api, Call, Plan, Read, WithBody, resource},
};
use draft::{PointPut, Replacement};

/// Registers the resources of points.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/locations/points").post(create, created))
        .service(resource("/locations/points/history").get(history))
        .service(resource("/locations/points/{id}").get(get).put(replace, get).delete(delete));
}

/// The list in the API document.
type ListDocument = DocumentOf<HistoryList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(create, history, get, replace, delete),
    tags((name = "Points", description = "Points of locations, and their history."))
)]
struct Description;

/// The part of the API document about points.
pub(crate) fn part() -> Part {
    Part::of::<Description>(include_str!("examples.json"))
        .with_rule("PointPut", draft::position_rule())
}

/// Create a point
///
/// rfidCode and qrCode are each unique among all points.
#[utoipa::path(
    post,
    path = "/locations/points",
    operation_id = "postPoint",
    request_body = PointPut,
    responses((status = 201, description = "The point was created.", body = PointRecord<'_>)),
)]
async fn create(WithBody(call, draft): WithBody<Plan, PointDraft>) -> Answer {
    let created = call.services().points.create(call.actor(), draft).await?;
    let answer = reply::json(StatusCode::CREATED, &PointRecord::new(&created))?;
    Ok(reply::with_changed(answer, &Changed::one(created.id.0)))
}

/// POST that is repeated.
async fn created(call: Call<Plan>) -> Answer {
    let point = call.services().points.get(call.actor(), call.changed()?).await?;
    reply::json(StatusCode::CREATED, &PointRecord::new(&point))
}

/// Read a point
#[utoipa::path(
    get,
    path = "/locations/points/{id}",
    operation_id = "getPoint",
    params(("id" = Id, Path, description = "The point.")),
    responses((status = 200, description = "The point.", body = PointRecord<'_>)),
)]
async fn get(call: Call<Read>) -> Answer {
    let found = call.services().points.get(call.actor(), call.id()).await?;
    reply::ok(&PointRecord::new(&found))
}

/// Replace a point
///
/// Members that are left out become null or empty.
#[utoipa::path(
    put,
    path = "/locations/points/{id}",
    operation_id = "putPoint",
    params(("id" = Id, Path, description = "The point.")),
    request_body = PointPut,
    responses((status = 200, description = "The point was replaced.", body = PointRecord<'_>)),
)]
async fn replace(WithBody(call, Replacement(draft)): WithBody<Plan, Replacement>) -> Answer {
    let replaced = call.services().points.replace(call.actor(), call.id(), draft).await?;
    reply::ok(&PointRecord::new(&replaced))
}

/// Delete a point
///
/// The history of the point is kept, and so is its id in steps.
#[utoipa::path(
    delete,
    path = "/locations/points/{id}",
    operation_id = "deletePoint",
    params(("id" = Id, Path, description = "The point.")),
    responses((status = 204, description = "The point is deleted.")),
)]
async fn delete(call: Call<Plan>) -> Answer {
    call.services().points.delete(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

/// List the history of points
///
/// A record for every creation, replacement and deletion of a point. The history outlives the
/// point. The response does not repeat the filters.
#[utoipa::path(
    get,
    path = "/locations/points/history",
    operation_id = "getPointHistory",
    params(ListDocument),
    responses((status = 200, description = "The records.", body = ListDocument)),
)]
async fn history(call: Call<List<Read, HistoryList>>) -> Answer {
    let points = &call.services().points;
    lists::answer(&call, |query, ()| Ok(points.history(call.actor(), query)?)).await
}
