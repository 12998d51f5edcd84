//! Locations as lines of the data set.

use patrol_domain::location::{Location, LocationDraft};
use patrol_record::{LocationRecord, json::fields::Fields, read_location};

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for Location {
    type Draft = LocationDraft;
    type Form<'a> = LocationRecord<'a>;

    fn read(fields: &mut Fields<'_>) -> LocationDraft {
        LocationDraft { id: fields.uuid("id"), ..read_location(fields) }
    }

    fn check(draft: LocationDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> LocationRecord<'_> {
        LocationRecord::line(self)
    }
}
