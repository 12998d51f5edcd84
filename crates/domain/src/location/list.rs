//! The list of locations: its filters and its sort properties.

use super::Location;
use crate::{
    list::{Listed, sort_properties},
    shared::{identified::Identified, ids::LocationId},
};

/// The list of locations.
#[derive(Debug, Clone, Copy)]
pub struct LocationList;

impl Listed for LocationList {
    type Filter = LocationFilter;
    type Sort = LocationSort;
    type Item = Location;

    fn bytes(item: &Location) -> usize {
        size_of_val(item) + item.heap_bytes()
    }
}

/// Properties by which locations can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationFilter {
    /// The location: [`crate::list::Test::Ids`].
    Id,
    /// Name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// Address: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Address,
    /// Whether the location has a graphic plan: [`crate::list::Test::Flag`].
    WithGraphicPlan,
    /// The tags, as a set: [`crate::list::Test::Tags`].
    Tags,
}

sort_properties! {
    /// Properties by which locations can be sorted: every scalar field.
    LocationSort {
        Id = "id";
        Name = "name";
        Address = "address";
        Latitude = "latitude";
        Longitude = "longitude";
    }
}

impl Identified for Location {
    type Id = LocationId;
    const HAS_VERSIONS: bool = true;
}
