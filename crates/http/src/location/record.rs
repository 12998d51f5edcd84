//! The JSON form of a location.

use patrol_domain::{
    ids::GraphicPlanId,
    location::{Location, LocationItem},
};
use patrol_json::write;
use patrol_record::value::Id;
use serde::Serialize;
use utoipa::ToSchema;

/// A place that is guarded.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Location)]
pub(crate) struct LocationRecord<'a> {
    id: Id,
    name: &'a str,
    address: &'a str,
    #[serde(serialize_with = "write::number_or_null")]
    latitude: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    longitude: Option<f64>,
    tags: &'a [String],
    /// Sorted by id.
    #[serde(serialize_with = "write::ids")]
    #[schema(value_type = Vec<Id>)]
    graphic_plan_ids: &'a [GraphicPlanId],
}

impl<'a> LocationRecord<'a> {
    /// The record of a location.
    pub(crate) fn new(item: &'a LocationItem) -> Self {
        let LocationItem { location, graphic_plan_ids } = item;
        let Location { id, name, address, position, tags } = location;
        Self {
            id: Id::of(*id),
            name,
            address,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags,
            graphic_plan_ids,
        }
    }
}
