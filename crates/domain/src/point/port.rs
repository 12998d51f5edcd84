//! The port of points.

use async_trait::async_trait;

use super::{HistoryQuery, HistoryRecord, Point};
use crate::{
    event::Origin,
    list::Listing,
    shared::{
        edit::Edit,
        error::{EditError, StoreError},
        existing::{Existing, References},
        fault::Refusal,
        ids::PointId,
    },
};

/// Builds the new point from the result of the lookup. Pure, because a store may call the function
/// more than once.
pub type Creation = Box<dyn Fn(&Existing) -> Result<Point, Refusal> + Send + Sync + 'static>;

/// The creation of a point.
pub struct NewPoint {
    /// The records and values that the store looks up first.
    pub names: References,
    /// Builds the point from the result of the lookup.
    pub make: Creation,
}

/// A store of points. Every method is one transaction. A method that changes a point appends a record
/// to its history in the same transaction. RFID codes and printed codes MUST each be unique, also
/// under concurrent changes.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Points: Send + Sync {
    /// The point, or `None` when it does not exist.
    async fn get(&self, id: PointId) -> Result<Option<Point>, StoreError>;

    /// Stores a new point.
    ///
    /// # Errors
    /// `Refused` with the refusal of `point.make`.
    async fn create(&self, point: NewPoint, by: Origin) -> Result<Point, EditError>;

    /// Loads the point, calls the change and stores the result.
    ///
    /// # Errors
    /// `Missing` when the point does not exist, `Refused` with the refusal of the change.
    async fn update(&self, id: PointId, edit: Edit<Point>, by: Origin) -> Result<Point, EditError>;

    /// Deletes the point. Steps that refer to the point keep its id.
    ///
    /// # Errors
    /// `Missing` when the point does not exist.
    async fn delete(&self, id: PointId, by: Origin) -> Result<(), EditError>;

    /// The history records that match the query. Records that sort equal are sorted by the id of the
    /// point, then by `history_id`.
    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord>;
}
