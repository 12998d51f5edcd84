//! Points and their history.

use std::sync::Arc;

use patrol_domain::{
    At, Clock, Edit, Ids, New, Rules, Versioned,
    ids::PointId,
    list::Listing,
    point::{HistoryQuery, HistoryRecord, Point, PointDraft, PointLists, PointQuery, Points},
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use cases of points.
#[derive(Clone)]
pub struct PointService {
    points: Arc<dyn Points>,
    lists: Arc<dyn PointLists>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

impl PointService {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(
        points: Arc<dyn Points>,
        lists: Arc<dyn PointLists>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        rules: Rules,
    ) -> Self {
        Self { points, lists, clock, ids, rules }
    }

    /// The points that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "point.list", skip_all)]
    pub fn list(&self, actor: Actor, query: PointQuery) -> Result<Listing<Point>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.lists.list(query))
    }

    /// One point.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "point.get", skip_all)]
    pub async fn get(&self, actor: Actor, id: PointId) -> Result<Versioned<Point>, Failure> {
        permit(actor, Operation::Read)?;
        self.points.get(id).await?.ok_or(Failure::NotFound)
    }

    /// POST: creates a point.
    ///
    /// # Errors
    /// `Denied`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "point.create", skip_all)]
    pub async fn create(&self, actor: Actor, draft: PointDraft) -> Result<Point, Failure> {
        permit(actor, Operation::Plan)?;
        let (id, rules) = (PointId(self.ids.next()), self.rules);
        let new = New {
            references: draft.references(&rules.limits),
            make: Box::new(move |existing| draft.check(id, Some(existing), &rules)),
        };
        Ok(self.points.create(new, actor.origin_at(self.clock.now())).await?)
    }

    /// PUT: replaces the content of the point.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Refused`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "point.replace", skip_all)]
    pub async fn replace(
        &self,
        actor: Actor,
        at: At<Point>,
        draft: PointDraft,
    ) -> Result<Versioned<Point>, Failure> {
        permit(actor, Operation::Plan)?;
        let rules = self.rules;
        let edit = Edit {
            at,
            references: draft.references(&rules.limits),
            change: Box::new(move |point: &Point, existing| {
                draft.check(point.id, Some(existing), &rules).map(Some)
            }),
        };
        let by = actor.origin_at(self.clock.now());
        Ok(self.points.update(edit, by).await?)
    }

    /// Deletes the point. Its history stays, and steps that refer to the point keep its id.
    ///
    /// # Errors
    /// `Denied`, `NotFound`, `Stale`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "point.delete", skip_all)]
    pub async fn delete(&self, actor: Actor, at: At<Point>) -> Result<(), Failure> {
        permit(actor, Operation::Plan)?;
        let by = actor.origin_at(self.clock.now());
        Ok(self.points.delete(at, by).await?)
    }

    /// The history records that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "point.history", skip_all)]
    pub fn history(
        &self,
        actor: Actor,
        query: HistoryQuery,
    ) -> Result<Listing<HistoryRecord>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.points.list(query))
    }
}
