//! Graphic plans.

use patrol_domain::graphic_plan::GraphicPlan;
use serde::Serialize;
use utoipa::ToSchema;

use crate::value::Id;

/// A plan of a location, on which points are placed. Its picture is a resource of its own.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = GraphicPlan)]
pub struct GraphicPlanRecord<'a> {
    id: Id,
    location_id: Id,
    name: &'a str,
    /// Pixels; null without a picture.
    width: Option<u32>,
    /// Pixels; null without a picture.
    height: Option<u32>,
    /// The media type of the picture; null without one.
    #[schema(examples("image/png"))]
    content_type: Option<&'static str>,
}

impl<'a> GraphicPlanRecord<'a> {
    /// The record of a graphic plan.
    #[must_use]
    pub fn new(plan: &'a GraphicPlan) -> Self {
        let GraphicPlan { id, location_id, name, picture } = plan;
        Self {
            id: Id::of(*id),
            location_id: Id::of(*location_id),
            name,
            width: picture.map(|picture| picture.width),
            height: picture.map(|picture| picture.height),
            content_type: picture.map(|picture| picture.format.media_type()),
        }
    }
}
