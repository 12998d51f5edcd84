//! The list of graphic plans: its filters and its sort properties.

use super::GraphicPlan;
use crate::list::{Listed, Query, sort_properties};

/// The list of graphic plans.
#[derive(Debug, Clone, Copy)]
pub struct GraphicPlanList;

/// A query of the list of graphic plans.
pub type GraphicPlanQuery = Query<GraphicPlanList>;

impl Listed for GraphicPlanList {
    type Filter = GraphicPlanFilter;
    type Sort = GraphicPlanSort;
    type Item = GraphicPlan;

    fn bytes(item: &GraphicPlan) -> usize {
        size_of_val(item) + item.name.len()
    }
}

/// Properties by which graphic plans can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphicPlanFilter {
    /// The id: [`crate::list::Test::Ids`].
    Id,
    /// The location: [`crate::list::Test::Ids`].
    Location,
    /// The name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
}

sort_properties! {
    /// Properties by which graphic plans can be sorted. Formats compare by media type.
    GraphicPlanSort {
        Id = "id";
        LocationId = "locationId";
        Name = "name";
        Width = "width";
        Height = "height";
        ContentType = "contentType";
    }
}
