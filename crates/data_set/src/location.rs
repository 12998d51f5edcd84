//! Locations and their graphic plans as lines of the data set.

use patrol_domain::{
    ids::{GraphicPlanId, LocationId},
    location::{GraphicPlan, GraphicPlanDraft, Location, LocationDraft},
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for Location {
    type Draft = LocationDraft;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> LocationDraft {
        LocationDraft {
            id: fields.uuid("id"),
            name: fields.text("name"),
            address: fields.text("address"),
            latitude: fields.number("latitude"),
            longitude: fields.number("longitude"),
            tags: fields.texts("tags").unwrap_or_default(),
        }
    }

    fn check(draft: LocationDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> Row<'_> {
        let Self { id, name, address, position, tags } = self;
        Row {
            id: *id,
            name,
            address,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            tags,
        }
    }
}

impl Line for GraphicPlan {
    type Draft = GraphicPlanDraft;
    type Form<'a> = PlanRow<'a>;

    fn read(fields: &mut Fields<'_>) -> GraphicPlanDraft {
        GraphicPlanDraft {
            id: fields.uuid("id"),
            location_id: fields.uuid("locationId"),
            name: fields.text("name"),
        }
    }

    fn check(draft: GraphicPlanDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> PlanRow<'_> {
        let Self { id, location_id, name } = self;
        PlanRow { id: *id, location_id: *location_id, name }
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
