//! The port of points.

use super::{HistoryQuery, HistoryRecord, Point};
use crate::{
    list::Listing,
    shared::{
        ids::PointId,
        records::{Create, Delete, Get, Identified, Update},
    },
};

impl Identified for Point {
    type Id = PointId;
}

/// A store of points. RFID codes and printed codes MUST each be unique, also under concurrent
/// changes. Steps that refer to a deleted point keep its id.
pub trait Points: Get<Point> + Create<Point> + Update<Point> + Delete<Point> {
    /// The history records that match the query. Records that sort equal are sorted by the id of the
    /// point, then by `history_id`.
    fn history(&self, query: HistoryQuery) -> Listing<HistoryRecord>;
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Points: Get<Point> Create<Point> Update<Point> Delete<Point> {
        fn history(query: HistoryQuery) -> [Listing<HistoryRecord>];
    }
}
