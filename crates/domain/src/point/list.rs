//! The list of points: its filters and its sort properties.

use super::Point;
use crate::list::{Listed, sort_properties};

/// The list of points.
#[derive(Debug, Clone, Copy)]
pub struct PointList;

impl Listed for PointList {
    type Filter = PointFilter;
    type Sort = PointSort;
    type Item = Point;

    fn bytes(item: &Point) -> usize {
        size_of_val(item) + item.heap_bytes()
    }
}

/// Properties by which points can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointFilter {
    /// The id: [`crate::list::Test::Ids`].
    Id,
    /// The name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// The type: [`crate::list::Test::Codes`].
    Type,
    /// The location: [`crate::list::Test::Ids`].
    Location,
    /// The tags, as a set: [`crate::list::Test::Tags`].
    Tags,
    /// The printed code: [`crate::list::Test::Contains`], [`crate::list::Test::Exact`].
    QrCode,
    /// The code of the RFID tag: [`crate::list::Test::Contains`], [`crate::list::Test::Exact`].
    RfidCode,
}

sort_properties! {
    /// Properties by which points can be sorted: every scalar field. The type sorts by name; its values
    /// have no rank.
    PointSort {
        Id = "id";
        LocationId = "locationId";
        Name = "name";
        Type = "type";
        Latitude = "latitude";
        Longitude = "longitude";
        RfidCode = "rfidCode";
        QrCode = "qrCode";
    }
}
