//! The history of points.

use std::sync::Arc;

use patrol_domain::{
    list::Listing,
    point::{HistoryQuery, HistoryRecord, PointHistory},
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use case of the history of points.
#[derive(Clone)]
pub struct PointHistoryService(Arc<dyn PointHistory>);

impl PointHistoryService {
    /// The use case over this store.
    #[must_use]
    pub fn new(store: Arc<dyn PointHistory>) -> Self {
        Self(store)
    }

    /// The history records that match the query.
    ///
    /// # Errors
    /// `Denied`.
    #[tracing::instrument(target = "patrol::trace", name = "point_history.list", skip_all)]
    pub fn list(
        &self,
        actor: Actor,
        query: HistoryQuery,
    ) -> Result<Listing<HistoryRecord>, Failure> {
        permit(actor, Operation::Read)?;
        Ok(self.0.list(query))
    }
}
