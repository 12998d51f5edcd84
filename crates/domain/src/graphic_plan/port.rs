//! The port of graphic plans.

use super::{GraphicPlan, GraphicPlanList};
use crate::shared::{
    identified::Identified,
    ids::GraphicPlanId,
    records::{Create, Delete, Get, List},
};

impl Identified for GraphicPlan {
    type Id = GraphicPlanId;
    const HAS_VERSIONS: bool = true;
}

/// A store of graphic plans. A creation or a deletion gives the location its next version. A creation ends the announcement of the picture; it fails with `Unavailable`
/// when the picture is not announced, or is marked for removal. A deletion announces the picture and
/// marks it for removal. See [`crate::photo::ImageOwners`].
pub trait GraphicPlans:
    Get<GraphicPlan> + Create<GraphicPlan> + Delete<GraphicPlan> + List<GraphicPlanList>
{
}

impl<S> GraphicPlans for S where
    S: Get<GraphicPlan> + Create<GraphicPlan> + Delete<GraphicPlan> + List<GraphicPlanList>
{
}

#[cfg(feature = "mock")]
crate::shared::records::mock_port! {
    GraphicPlans: Get<GraphicPlan> Create<GraphicPlan> Delete<GraphicPlan> List<GraphicPlanList>
}
