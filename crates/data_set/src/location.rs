//! Locations as lines of the data set.

use patrol_domain::{
    ids::LocationId,
    location::{Location, LocationDraft},
};
use patrol_json::{fields::Fields, write};
use patrol_record::read_location;
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for Location {
    type Draft = LocationDraft;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> LocationDraft {
        LocationDraft { id: fields.uuid("id"), ..read_location(fields) }
    }

    fn check(draft: LocationDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> Row<'_> {
        let Self { id, name, address, position, tags, graphic_plan_ids: _ } = self;
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
