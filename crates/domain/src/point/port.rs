//! The port of points.

use super::{HistoryList, Point};
use crate::shared::{
    identified::Identified,
    ids::PointId,
    records::{Create, Delete, Get, List, Update},
};

impl Identified for Point {
    type Id = PointId;
    const HAS_VERSIONS: bool = true;
}

/// A store of points. RFID codes and printed codes MUST each be unique, also under concurrent
/// changes. Steps that refer to a deleted point keep its id. Records of the history that sort equal
/// are sorted by the id of the point, then by `history_id`.
pub trait Points:
    Get<Point> + Create<Point> + Update<Point> + Delete<Point> + List<HistoryList>
{
}

impl<S> Points for S where
    S: Get<Point> + Create<Point> + Update<Point> + Delete<Point> + List<HistoryList>
{
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Points: Get<Point> Create<Point> Update<Point> Delete<Point> List<HistoryList>
}
