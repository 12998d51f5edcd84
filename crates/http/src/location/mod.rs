//! Locations over HTTP: GET /v1/locations (interface 4.3).

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use patrol_application::Operation;
use patrol_domain::location::LocationList;

use crate::{
    list as lists,
    route::{Answer, Call, Manners, Route},
};

/// The route of locations.
pub(crate) fn routes() -> Vec<Route> {
    vec![Route::get("/locations", Operation::Read, Manners::PLAIN, list)]
}

/// GET /locations.
async fn list(call: Call) -> Answer {
    let now = call.now();
    let asked = lists::read::<LocationList>(call.query(), now)?;
    let listing = call.services().locations.list(asked.query);
    lists::answer::<LocationList>(listing, asked.echo, now).await
}
