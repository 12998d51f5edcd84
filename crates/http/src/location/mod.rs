//! Locations over HTTP: GET /v1/locations.

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use patrol_domain::location::LocationList;
use utoipa::OpenApi;

use crate::{
    list::{self as lists, List},
    openapi::{DocumentOf, Part},
    route::{Answer, Api, Call, Read, resource},
};

/// Registers the resource of locations.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/locations").get(list));
}

/// The list in the API document.
type ListDocument = DocumentOf<LocationList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list),
    tags((name = "Locations", description = "Places that are guarded."))
)]
struct Description;

/// The part of the API document about locations.
pub(crate) fn part() -> Part {
    Part::of::<Description>(include_str!("examples.json"))
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
async fn list(call: Call<List<Read, LocationList>>) -> Answer {
    let locations = &call.services().locations;
    lists::answer(&call, |query, ()| Ok(locations.list(call.actor(), query)?)).await
}
