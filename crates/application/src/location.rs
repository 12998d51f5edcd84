//! Locations.

use std::sync::Arc;

use patrol_domain::{
    list::Listing,
    location::{LocationItem, LocationQuery, Locations},
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
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
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "location.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        query: LocationQuery,
    ) -> Result<Listing<LocationItem>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.locations.list(query))
    }
}
