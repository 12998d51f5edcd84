//! Graphic plans of locations, with their pictures.

mod draft;
mod list;
mod port;

pub use draft::{GraphicPlanDraft, NewPicture};
pub use list::{GraphicPlanFilter, GraphicPlanList, GraphicPlanQuery, GraphicPlanSort};
pub use port::GraphicPlans;
#[cfg(feature = "mock")]
pub use port::MockGraphicPlans;

use crate::{
    photo::ImageFormat,
    shared::ids::{GraphicPlanId, LocationId, MediaId},
};

/// A plan of a location, for example a floor plan, on which points are placed. It never changes.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphicPlan {
    /// Unique among graphic plans; never changes.
    pub id: GraphicPlanId,
    /// The location that the plan shows.
    pub location_id: LocationId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// `None` for an imported plan: a data set has no pictures.
    pub picture: Option<Picture>,
}

impl GraphicPlan {
    /// A plan without a picture.
    pub fn new(id: GraphicPlanId, location_id: LocationId, name: impl Into<String>) -> Self {
        Self { id, location_id, name: name.into(), picture: None }
    }
}

/// The picture of a graphic plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The object with the image.
    pub image: MediaId,
    /// The format of the image.
    pub format: ImageFormat,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}
