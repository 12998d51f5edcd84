//! The content of a graphic plan in POST and the data set.

use super::{GraphicPlan, Picture};
use crate::shared::{
    check,
    existing::{Existing, References},
    fault::{Faults, Path, Refusal, Rule},
    ids::{GraphicPlanId, LocationId},
    rules::Rules,
};

/// A graphic plan before its check: with the right types, but not checked against the field rules.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct GraphicPlanDraft {
    pub id: Option<GraphicPlanId>,
    pub location_id: Option<LocationId>,
    pub name: Option<String>,
}

/// The picture of a new graphic plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewPicture {
    /// The request has no picture.
    Missing,
    /// The file is not an image that can be stored.
    Unusable,
    /// The picture. It was announced before it was written; see [`crate::photo`].
    Stored(Picture),
}

impl GraphicPlanDraft {
    /// The records that the store has to look up for a new plan.
    #[must_use]
    pub fn references(&self) -> References {
        References::default().with(self.id).with(self.location_id)
    }

    /// The new graphic plan, if all members meet their rules. The caller has set the id and the location.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check_new(
        &self,
        picture: NewPicture,
        existing: &Existing,
        rules: &Rules,
    ) -> Result<GraphicPlan, Refusal> {
        let at = |name| Path::Root.field(name);
        Faults::checked(|faults| {
            if self.id.is_some_and(|id| existing.has(id)) {
                faults.push(&at("id"), Rule::Unique);
            }
            if self.location_id.is_some_and(|location| !existing.has(location)) {
                faults.push(&at("locationId"), Rule::Reference);
            }
            let plan = self.checked(faults, rules);
            let picture = match picture {
                NewPicture::Missing => check::required(faults, &at("image"), None),
                NewPicture::Unusable => {
                    faults.push(&at("image"), Rule::Image);
                    None
                }
                NewPicture::Stored(picture) => Some(picture),
            };
            Some(GraphicPlan { picture, ..plan? })
        })
    }

    /// The graphic plan of the data set, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<GraphicPlan, Refusal> {
        Faults::checked(|faults| self.checked(faults, rules))
    }

    fn checked(&self, faults: &mut Faults, rules: &Rules) -> Option<GraphicPlan> {
        let at = |name| Path::Root.field(name);
        let id = check::required(faults, &at("id"), self.id);
        let location_id = check::required(faults, &at("locationId"), self.location_id);
        let name = check::name(faults, &at("name"), self.name.as_deref(), &rules.limits);
        Some(GraphicPlan::new(id?, location_id?, name?))
    }
}
