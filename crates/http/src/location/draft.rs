//! The bodies of POST and PUT of a location.

use patrol_domain::location::LocationDraft;
use patrol_record::{
    json::fields::Fields,
    read_location,
    value::{Id, Tags},
};

use crate::{
    route::JsonObject,
    schema::{Address, Name, body},
};

body! {
    /// A new location. Members that are absent or null get their defaults.
    LocationPost {
        /// A new id; Patrol makes one when absent.
        id: Option<Id>,
        name: Name,
        /// Empty when absent.
        address: Option<Address>,
        /// Requires longitude.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64>,
        /// Requires latitude.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64>,
        tags: Option<Tags>,
    }
}

body! {
    /// The new content of a location. Members that are absent or null get their defaults.
    LocationPut {
        name: Name,
        /// Empty when absent.
        address: Option<Address>,
        /// Requires longitude.
        #[schema(minimum = -90, maximum = 90)]
        latitude: Option<f64>,
        /// Requires latitude.
        #[schema(minimum = -180, maximum = 180)]
        longitude: Option<f64>,
        tags: Option<Tags>,
    }
}

impl JsonObject for LocationDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self { id: fields.uuid("id"), ..read_location(fields) }
    }
}
