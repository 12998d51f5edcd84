//! Locations and their graphic plans as lines of the data set.

use patrol_domain::{
    ids::{GraphicPlanId, LocationId},
    location::{GraphicPlan, GraphicPlanDraft, Location, LocationDraft},
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

pub(crate) fn read(fields: &mut Fields<'_>) -> LocationDraft {
    LocationDraft {
        id: fields.uuid("id"),
        name: fields.text("name"),
        address: fields.text("address"),
        latitude: fields.number("latitude"),
        longitude: fields.number("longitude"),
        tags: fields.texts("tags").unwrap_or_default(),
    }
}

pub(crate) fn read_plan(fields: &mut Fields<'_>) -> GraphicPlanDraft {
    GraphicPlanDraft {
        id: fields.uuid("id"),
        location_id: fields.uuid("locationId"),
        name: fields.text("name"),
    }
}

/// A location as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(serialize_with = "write::id")]
    id: LocationId,
    name: &'a str,
    address: &'a str,
    #[serde(serialize_with = "write::number_or_null")]
    latitude: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    longitude: Option<f64>,
    tags: &'a [String],
}

impl<'a> From<&'a Location> for Row<'a> {
    fn from(location: &'a Location) -> Self {
        let Location { id, name, address, position, tags } = location;
        Self {
            id: *id,
            name,
            address,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags,
        }
    }
}

/// A graphic plan as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanRow<'a> {
    #[serde(serialize_with = "write::id")]
    id: GraphicPlanId,
    #[serde(serialize_with = "write::id")]
    location_id: LocationId,
    name: &'a str,
}

impl<'a> From<&'a GraphicPlan> for PlanRow<'a> {
    fn from(plan: &'a GraphicPlan) -> Self {
        let GraphicPlan { id, location_id, name } = plan;
        Self { id: *id, location_id: *location_id, name }
    }
}
