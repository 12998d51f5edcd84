//! The port of points.

use async_trait::async_trait;

use super::{HistoryQuery, HistoryRecord, Point};
use crate::{
    event::Origin,
    list::Listing,
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::PointId,
    },
    task_execution::Edit,
};

/// Builds the new point from the lookup of what it names. Pure, because a store may call it more
/// than once.
pub type Creation = Box<dyn Fn(&Existing) -> Result<Point, Refusal> + Send + Sync + 'static>;

/// A request to create a point.
pub struct NewPoint {
    /// The records and values that the store looks up first.
    pub names: References,
    /// Builds the point from the lookup of `names`.
    pub make: Creation,
}

/// A store of points. Every method is one transaction; one that changes a point appends a history
/// record in the same transaction. Codes MUST be unique among points that have one, also under
/// concurrent changes.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Points: Send + Sync {
    /// The point, or `None` when it does not exist.
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError>;

    /// Stores a new point.
    ///
    /// # Errors
    /// `Refused` when the point breaks a rule.
    async fn create(&self, point: NewPoint, by: Origin) -> Result<Point, EditError>;

    /// Loads the point, calls the change and stores the result.
    ///
    /// # Errors
    /// `Missing` when there is no such point, `Refused` with the refusal of the change.
    async fn update(&self, id: PointId, edit: Edit<Point>, by: Origin) -> Result<Point, EditError>;

    /// Removes the point. Steps that refer to it keep its id.
    ///
    /// # Errors
    /// `Missing` when there is no such point.
    async fn delete(&self, id: PointId, by: Origin) -> Result<(), EditError>;

    /// The history records that match the query. Ties are broken by the id of the point, then by
    /// `history_id`.
    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord>;
}
