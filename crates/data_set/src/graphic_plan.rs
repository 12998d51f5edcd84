//! Graphic plans as lines of the data set, without their pictures.

use patrol_domain::{
    graphic_plan::{GraphicPlan, GraphicPlanDraft},
    ids::{GraphicPlanId, LocationId},
};
use patrol_record::json::{fields::Fields, write};
use serde::Serialize;

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for GraphicPlan {
    type Draft = GraphicPlanDraft;
    type Form<'a> = Row<'a>;

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

    fn form(&self) -> Row<'_> {
        let Self { id, location_id, name, picture: _ } = self;
        Row { id: *id, location_id: *location_id, name }
    }
}

/// A graphic plan as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(serialize_with = "write::id")]
    id: GraphicPlanId,
    #[serde(serialize_with = "write::id")]
    location_id: LocationId,
    name: &'a str,
}
