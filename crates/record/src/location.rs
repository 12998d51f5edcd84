//! Locations.

use patrol_domain::{
    ids::GraphicPlanId,
    location::{Location, LocationDraft},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    json::{fields::Fields, write},
    value::{Id, Ids},
};

/// A place that is guarded.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Location)]
pub struct LocationRecord<'a> {
    id: Id,
    name: &'a str,
    address: &'a str,
    #[serde(serialize_with = "write::number_or_null")]
    latitude: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    longitude: Option<f64>,
    tags: &'a [String],
    /// Sorted by id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<Id>, required = true)]
    graphic_plan_ids: Option<Ids<'a, GraphicPlanId>>,
}

impl<'a> LocationRecord<'a> {
    /// The record of a location.
    #[must_use]
    pub fn new(location: &'a Location) -> Self {
        let Location { id, name, address, position, tags, graphic_plan_ids } = location;
        Self {
            id: Id::of(*id),
            name,
            address,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags,
            graphic_plan_ids: Some(Ids(graphic_plan_ids)),
        }
    }

    /// The record of a line of the data set: without members that follow from other records.
    #[must_use]
    pub fn line(location: &'a Location) -> Self {
        Self { graphic_plan_ids: None, ..Self::new(location) }
    }
}

/// Reads the members of a location, except its id.
pub fn read_location(fields: &mut Fields<'_>) -> LocationDraft {
    LocationDraft {
        id: None,
        name: fields.text("name"),
        address: fields.text("address"),
        latitude: fields.number("latitude"),
        longitude: fields.number("longitude"),
        tags: fields.texts("tags").unwrap_or_default(),
    }
}
