//! The history of points.

use super::{Operation, Point};
use crate::{
    list::{Listed, Query},
    shared::timestamp::Timestamp,
};

/// What was recorded of a change of a point. It outlives the point.
#[derive(Clone, PartialEq, Debug)]
pub struct HistoryRecord {
    /// Counts the records of the store; grows, and is never given out again.
    pub history_id: i64,
    /// What happened.
    pub operation: Operation,
    /// When it happened.
    pub recorded_at: Timestamp,
    /// The point as it was afterwards; of a deletion, as it last was.
    pub point: Point,
}

/// The list of history records.
#[derive(Debug, Clone, Copy)]
pub struct HistoryList;

/// What is asked of the list of history records.
pub type HistoryQuery = Query<HistoryList>;

impl Listed for HistoryList {
    type Filter = HistoryFilter;
    type Sort = HistorySort;
    type Item = HistoryRecord;

    fn bytes(item: &HistoryRecord) -> usize {
        size_of_val(item) + item.point.heap_bytes()
    }
}

/// What history records can be filtered by, with the test that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryFilter {
    /// The point: [`crate::list::Test::Ids`].
    Id,
    /// Its name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// Its type: [`crate::list::Test::Codes`].
    Type,
    /// Its location: [`crate::list::Test::Ids`].
    Location,
    /// The set of its tags: [`crate::list::Test::Tags`].
    Tags,
}

/// What history records can be sorted by: every scalar field. Type and operation compare as the text
/// that a client sees: only state, status and priority have an order of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the record's
pub enum HistorySort {
    Id,
    HistoryId,
    Operation,
    RecordedAt,
    LocationId,
    Name,
    Type,
    Latitude,
    Longitude,
    RfidCode,
    QrCode,
}
