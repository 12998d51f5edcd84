//! The history of points.

use super::{Operation, Point};
use crate::{
    list::{Listed, Query, sort_properties},
    shared::{records::List, timestamp::Timestamp},
};

/// One change of a point. The history of a point stays when the point is deleted.
#[derive(Clone, PartialEq, Debug)]
pub struct HistoryRecord {
    /// Grows with every record in the store; a number is never used twice.
    pub history_id: i64,
    /// The kind of change.
    pub operation: Operation,
    /// The time of the change.
    pub recorded_at: Timestamp,
    /// The point after the change; for a deletion, the point before it.
    pub point: Point,
}

/// The list of history records.
#[derive(Debug, Clone, Copy)]
pub struct HistoryList;

/// A query of the list of history records.
pub type HistoryQuery = Query<HistoryList>;

impl Listed for HistoryList {
    type Filter = HistoryFilter;
    type Sort = HistorySort;
    type Item = HistoryRecord;

    fn bytes(item: &HistoryRecord) -> usize {
        size_of_val(item) + item.point.heap_bytes()
    }
}

/// Properties by which history records can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryFilter {
    /// The point: [`crate::list::Test::Ids`].
    Id,
    /// The name of the point: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// The type of the point: [`crate::list::Test::Codes`].
    Type,
    /// The location of the point: [`crate::list::Test::Ids`].
    Location,
    /// The tags of the point, as a set: [`crate::list::Test::Tags`].
    Tags,
}

sort_properties! {
    /// Properties by which history records can be sorted: every scalar field. Type and operation sort by
    /// name; their values have no rank.
    HistorySort {
        Id = "id";
        LocationId = "locationId";
        Name = "name";
        Type = "type";
        Latitude = "latitude";
        Longitude = "longitude";
        RfidCode = "rfidCode";
        QrCode = "qrCode";
        HistoryId = "historyId";
        Operation = "operation";
        RecordedAt = "recordedAt";
    }
}

/// A store that lists the history of points. Records that sort equal MUST be sorted by the id of the
/// point, then by `history_id`.
pub trait PointHistory: List<HistoryList> {}

impl<S: List<HistoryList>> PointHistory for S {}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    PointHistory: List<HistoryList>
}
