//! What the program asks of a store of points.

use async_trait::async_trait;

use super::{HistoryQuery, HistoryRecord, Point};
use crate::{
    list::Listing,
    shared::{
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::PointId,
        timestamp::Timestamp,
    },
    task_execution::Edit,
};

/// The new point, once it is known what exists of what it names. Pure and repeatable.
pub type Creation = Box<dyn Fn(&Existing) -> Result<Point, Refusal> + Send + Sync + 'static>;

/// A point to be created.
pub struct NewPoint {
    /// What it names.
    pub names: References,
    /// The point.
    pub make: Creation,
}

/// A store of points. Every method is one transaction; one that changes a point appends a record to
/// its history in the same transaction. Codes MUST be unique among points that have one, whatever
/// changes at the same moment.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Points: Send + Sync {
    /// The point, or none.
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError>;

    /// Stores a new point.
    ///
    /// # Errors
    /// `Refused` with what the point's rules say.
    async fn create(&self, point: NewPoint, at: Timestamp) -> Result<Point, EditError>;

    /// Loads the point, calls the change and stores what it returns.
    ///
    /// # Errors
    /// `Missing` when there is none, `Refused` with what the change says.
    async fn update(
        &self,
        id: PointId,
        edit: Edit<Point>,
        at: Timestamp,
    ) -> Result<Point, EditError>;

    /// Removes the point. Steps that name it keep its id.
    ///
    /// # Errors
    /// `Missing` when there is none.
    async fn delete(&self, id: PointId, at: Timestamp) -> Result<(), EditError>;

    /// The history records that meet the query. Ties are broken by the id of the point, then by
    /// `history_id`.
    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord>;
}
