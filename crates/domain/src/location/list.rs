//! What can be asked of the list of locations (interface 4.3), and of whom.

use super::Location;
use crate::{
    list::{Listed, Listing, Query},
    shared::{ids::GraphicPlanId, text},
};

/// A location as a list tells of it.
#[derive(Clone, PartialEq, Debug)]
pub struct LocationItem {
    /// The location.
    pub location: Location,
    /// Its graphic plans, by id.
    pub graphic_plan_ids: Vec<GraphicPlanId>,
}

/// The list of locations.
#[derive(Debug, Clone, Copy)]
pub struct LocationList;

/// What is asked of the list of locations.
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

/// What locations can be filtered by, with the test that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationFilter {
    /// Name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// Address: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Address,
    /// Whether it has a graphic plan: [`crate::list::Test::Flag`].
    WithGraphicPlan,
    /// The set of tags: [`crate::list::Test::Tags`].
    Tags,
}

/// What locations can be sorted by: every scalar field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the record's
pub enum LocationSort {
    Id,
    Name,
    Address,
    Latitude,
    Longitude,
}

/// A store of locations.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait Locations: Send + Sync {
    /// The locations that meet the query.
    fn list(&self, query: LocationQuery) -> Listing<LocationItem>;
}
