//! The JSON form of a location.

use patrol_domain::{
    ids::{GraphicPlanId, LocationId},
    location::{Location, LocationItem},
};
use patrol_json::write;
use serde::Serialize;

/// A location as an item of the list.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LocationRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: LocationId,
    name: &'a str,
    address: &'a str,
    #[serde(serialize_with = "write::number_or_null")]
    latitude: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    longitude: Option<f64>,
    tags: &'a [String],
    #[serde(serialize_with = "write::ids")]
    graphic_plan_ids: &'a [GraphicPlanId],
}

impl<'a> LocationRecord<'a> {
    /// The record of a location.
    pub(crate) fn new(item: &'a LocationItem) -> Self {
        let LocationItem { location, graphic_plan_ids } = item;
        let Location { id, name, address, position, tags } = location;
        Self {
            id: *id,
            name,
            address,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags,
            graphic_plan_ids,
        }
    }
}
