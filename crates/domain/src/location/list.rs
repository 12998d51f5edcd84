//! The list of locations: its filters, its sort properties and its port.

use super::Location;
use crate::{
    list::{Listed, Query},
    shared::{ids::GraphicPlanId, records::List, text},
};

/// An item of the list of locations.
#[derive(Clone, PartialEq, Debug)]
pub struct LocationItem {
    /// The location without its graphic plans.
    pub location: Location,
    /// The ids of its graphic plans, ascending.
    pub graphic_plan_ids: Vec<GraphicPlanId>,
}

/// The list of locations.
#[derive(Debug, Clone, Copy)]
pub struct LocationList;

/// A query of the list of locations.
pub type LocationQuery = Query<LocationList>;

impl Listed for LocationList {
    type Filter = LocationFilter;
    type Sort = LocationSort;
    type Item = LocationItem;

    fn bytes(item: &LocationItem) -> usize {
        let LocationItem { location, graphic_plan_ids } = item;
        size_of_val(item)
            + location.name.len()
            + location.address.len()
            + text::bytes(&location.tags)
            + size_of_val(graphic_plan_ids.as_slice())
    }
}

/// Properties by which locations can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationFilter {
    /// Name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// Address: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Address,
    /// Whether the location has a graphic plan: [`crate::list::Test::Flag`].
    WithGraphicPlan,
    /// The tags, as a set: [`crate::list::Test::Tags`].
    Tags,
}

/// Properties by which locations can be sorted: every scalar field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // named like the fields of the record
pub enum LocationSort {
    Id,
    Name,
    Address,
    Latitude,
    Longitude,
}

/// A store of locations. Only imports create locations.
pub trait Locations: List<LocationList> {}

impl<S: List<LocationList>> Locations for S {}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    Locations: List<LocationList>
}
