//! Locations over HTTP: GET /v1/locations.

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::Operation;
use patrol_domain::location::LocationList;

use crate::{
    list as lists,
    route::{Answer, Call, FaultStyle, Route},
};

/// The route of locations.
pub(crate) fn routes() -> Vec<Route> {
    let list = Route::get("/locations", Operation::Read, FaultStyle::PLAIN, list);
    vec![list.with_parameters(lists::knows::<LocationList>)]
}

/// GET /locations.
async fn list(call: Call) -> Answer {
    let locations = &call.services().locations;
    lists::answer::<LocationList>(&call, |query, ()| Ok(locations.list(call.actor(), query)?)).await
}
