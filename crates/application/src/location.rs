//! Locations.

use std::sync::Arc;

use patrol_domain::{
    list::Listing,
    location::{LocationItem, LocationQuery, Locations},
};

/// The use cases of locations.
#[derive(Clone)]
pub struct LocationService {
    locations: Arc<dyn Locations>,
}

impl LocationService {
    /// Use cases that work with this store.
    #[must_use]
    pub fn new(locations: Arc<dyn Locations>) -> Self {
        Self { locations }
    }

    /// The locations that match the query.
    #[must_use]
    pub fn list(&self, query: LocationQuery) -> Listing<LocationItem> {
        self.locations.list(query)
    }
}
