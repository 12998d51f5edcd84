//! Locations over HTTP: GET /v1/locations.

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use patrol_domain::location::LocationList;

use crate::{
    list::{self as lists, List},
    route::{Answer, Api, Call, Read, resource},
};

/// Registers the resource of locations.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/locations").get(list));
}

/// GET /locations.
async fn list(call: Call<List<Read, LocationList>>) -> Answer {
    let locations = &call.services().locations;
    lists::answer(&call, |query, ()| Ok(locations.list(call.actor(), query)?)).await
}
