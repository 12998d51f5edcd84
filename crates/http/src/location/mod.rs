//! Locations over HTTP.

mod draft;
mod list;
#[cfg(test)]
pub(crate) mod tests;

use patrol_domain::{
    At,
    location::{Location, LocationDraft, LocationList},
};
use patrol_record::{LocationRecord, value::Id};
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
use draft::{LocationPost, LocationPut, Replacement};

/// Registers the resources of locations, except `/locations/{id}`.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(api_resource("/locations").get(list).post(create, created));
}

/// Registers `/locations/{id}`. Call it after the resources whose path has a fixed word instead of the
/// id, such as `/locations/points`.
pub(crate) fn configure_by_id(api: &mut Api<'_>) {
    api.service(api_resource("/locations/{id}").get(get).put(replace, replaced).delete(delete));
}

/// The list in the API document.
type ListDocument = DocumentOf<LocationList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, create, get, replace, delete),
    tags((name = "Locations", description = "Places that are guarded."))
)]
struct Description;

/// The part of the API document about locations.
pub(crate) fn part() -> DocumentPart {
    DocumentPart::of::<Description>(include_str!("examples.json"))
        .with_rule("LocationPost", schema::position_rule())
        .with_rule("LocationPut", schema::position_rule())
}

/// List locations
///
/// Filters, sorts and pages. The applied filters are inside meta.
#[utoipa::path(
    get,
    path = "/locations",
    operation_id = "getLocations",
    params(ListDocument),
    responses((status = 200, description = "The locations.", body = ListDocument)),
)]
async fn list(call: Call<List<Read, LocationList>>) -> HandlerResult {
    let locations = &call.services().locations;
    lists::answer(&call, |query, ()| Ok(locations.list(call.actor(), query)?)).await
}

/// Create a location
///
/// Only name is required.
#[utoipa::path(
    post,
    path = "/locations",
    operation_id = "postLocation",
    request_body = LocationPost,
    responses(
        (
            status = 201,
            description = "The location was created.",
            body = LocationRecord<'_>,
            headers(("Location")),
        ),
    ),
)]
async fn create(WithBody(call, draft): WithBody<Plan, LocationDraft>) -> HandlerResult {
    let created = call.services().locations.create(call.actor(), draft).await?;
    let answer = reply_created(&created)?;
    Ok(reply::with_changed(answer, ChangedRecords::one(created.id.0)))
}

/// Answers a repeated POST with the record as it is now.
async fn created(call: Call<Plan>) -> HandlerResult {
    let location = call.services().locations.get(call.actor(), call.changed()?).await?;
    reply_created(&location.record)
}

fn reply_created(location: &Location) -> HandlerResult {
    reply::created(&LocationRecord::new(location), "/locations", location.id.0)
}

/// Read a location
#[utoipa::path(
    get,
    path = "/locations/{id}",
    operation_id = "getLocation",
    params(("id" = Id, Path, description = "The location."), ("If-None-Match", Header)),
    responses(
        (
            status = 200,
            description = "The full record.",
            body = LocationRecord<'_>,
            headers(("ETag")),
        ),
        (status = 304, description = "The client has this version already.", headers(("ETag"))),
    ),
)]
async fn get(call: Call<Read>) -> HandlerResult {
    let found = call.services().locations.get(call.actor(), call.id()).await?;
    reply::ok_or_not_modified(call.conditions(), found.version, &LocationRecord::new(&found.record))
}

/// Replace a location
///
/// Members that are absent or null become null or empty. The graphic plans of the location stay.
#[utoipa::path(
    put,
    path = "/locations/{id}",
    operation_id = "putLocation",
    params(("id" = Id, Path, description = "The location."), ("If-Match", Header)),
    request_body = LocationPut,
    responses(
        (
            status = 200,
            description = "The location was replaced.",
            body = LocationRecord<'_>,
            headers(("ETag")),
        ),
    ),
)]
async fn replace(WithBody(call, Replacement(draft)): WithBody<Plan, Replacement>) -> HandlerResult {
    let at = target(&call).await?;
    let replaced = call.services().locations.replace(call.actor(), at, draft).await?;
    reply::versioned(&LocationRecord::new(&replaced.record), replaced.version)
}

/// Answers a repeated PUT with the record as it is now.
async fn replaced(call: Call<Plan>) -> HandlerResult {
    let found = call.services().locations.get(call.actor(), call.id()).await?;
    reply::versioned(&LocationRecord::new(&found.record), found.version)
}

/// Delete a location
///
/// Refused while points, graphic plans, task executions in any state, scheduled tasks, or users name the
/// location. The history of its points is kept.
#[utoipa::path(
    delete,
    path = "/locations/{id}",
    operation_id = "deleteLocation",
    params(("id" = Id, Path, description = "The location."), ("If-Match", Header)),
    responses((status = 204, description = "The location is deleted.")),
)]
async fn delete(call: Call<Plan>) -> HandlerResult {
    let at = target(&call).await?;
    call.services().locations.delete(call.actor(), at).await?;
    Ok(reply::no_content())
}

/// The location in the path, with the expected version from `If-Match`.
async fn target(call: &Call<Plan>) -> Result<At<Location>, ApiError> {
    let locations = &call.services().locations;
    call.target(|actor, id| locations.get(actor, id)).await
}
