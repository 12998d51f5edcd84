//! Locations.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Edit, Ids, New, References, Rules, Versioned,
    ids::LocationId,
    list::Listing,
    location::{Location, LocationDraft, LocationQuery, Locations},
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of locations.
#[derive(Clone)]
pub struct LocationService {
    locations: Arc<dyn Locations>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

impl LocationService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        locations: Arc<dyn Locations>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { locations, clock, ids, rules }
    }

    /// The locations that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "location.list", skip_all)]
    pub fn list(&self, actor: Actor, query: LocationQuery) -> Result<Listing<Location>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.locations.list(query))
    }

    /// One location.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "location.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: LocationId) -> Result<Versioned<Location>, Failure> {
        permit(actor, Operation::Read)?;
        self.locations.get(id).await?.ok_or(Failure::NotFound)
    }

    /// POST: creates a location. A draft without an id gets a new one.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "location.create", skip_all)]
    pub async fn create(&self, actor: Actor, draft: LocationDraft) -> Result<Location, Failure> {
        permit(actor, Operation::Plan)?;
        let id = draft.id.unwrap_or_else(|| LocationId(self.ids.next()));
        let draft = LocationDraft { id: Some(id), ..draft.with_defaults() };
        let rules = self.rules;
        let new = New {
            references: draft.references(),
            make: Box::new(move |existing| draft.check_new(existing, &rules)),
        };
        Ok(self.locations.create(new, actor.origin_at(self.clock.now())).await?)
    }

    /// PUT: replaces the content of the location. The graphic plans stay.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "location.replace", skip_all)]
    pub async fn replace(
        &self,
        actor: Actor,
        at: At<Location>,
        draft: LocationDraft,
    ) -> Result<Versioned<Location>, Failure> {
        permit(actor, Operation::Plan)?;
        let (draft, rules) = (draft.with_defaults(), self.rules);
        let edit = Edit {
            at,
            references: References::default(),
            change: Box::new(move |location: &Location, _| {
                let new = draft.replace(location, &rules)?;
                Ok((new != *location).then_some(new))
            }),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.locations.update(edit, by).await?)
    }

    /// Deletes the location, unless other records refer to it. The history of its points stays.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `InUse`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "location.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: At<Location>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        Ok(self.locations.delete(at, actor.origin_at(self.clock.now())).await?)
    }
}
