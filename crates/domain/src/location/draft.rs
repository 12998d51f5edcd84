//! The content of a location in POST, PUT and the data set.

use super::{Location, LocationList, Position};
use crate::shared::{
    check,
    drafted::{DraftContext, Drafted},
    existing::References,
    fault::{Faults, Path, Refusal, Rule},
    ids::LocationId,
    rules::{Limits, Rules},
};

/// The body of POST and PUT, or a location of the data set: the JSON types are checked, the field rules
/// are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct LocationDraft {
    pub id: Option<LocationId>,
    pub name: Option<String>,
    pub address: Option<String>,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub tags: Vec<String>,
}

/// PUT keeps the graphic plans. In a store, a location MUST also get its next version when it gets a graphic
/// plan or loses one, and no other change may change its graphic plans.
impl Drafted for Location {
    type Draft = LocationDraft;
    type List = LocationList;

    fn references(draft: &LocationDraft, _: &Limits) -> References {
        References::default().with(draft.id)
    }

    fn create(draft: &LocationDraft, context: DraftContext<'_>) -> Result<Self, Refusal> {
        let DraftContext { existing, ids, rules } = context;
        Faults::checked(|faults| {
            if draft.id.is_some_and(|id| existing.has(id)) {
                faults.push(&Path::Root.field("id"), Rule::Unique);
            }
            let id = draft.id.unwrap_or_else(|| LocationId(ids.next()));
            draft.of_request(id).checked(faults, rules)
        })
    }

    fn replace(
        &self,
        draft: &LocationDraft,
        context: DraftContext<'_>,
    ) -> Result<Option<Self>, Refusal> {
        let content = draft.of_request(self.id).check(context.rules)?;
        let new = Self { graphic_plan_ids: self.graphic_plan_ids.clone(), ..content };
        Ok((new != *self).then_some(new))
    }
}

impl LocationDraft {
    /// The draft of the location `id`, with the defaults of POST and PUT: an empty address. The data
    /// set requires one.
    fn of_request(&self, id: LocationId) -> Self {
        let address = Some(self.address.clone().unwrap_or_default());
        Self { id: Some(id), address, ..self.clone() }
    }

    /// The location, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<Location, Refusal> {
        Faults::checked(|faults| self.checked(faults, rules))
    }

    fn checked(&self, faults: &mut Faults, rules: &Rules) -> Option<Location> {
        let limits = &rules.limits;
        let at = |name| Path::Root.field(name);
        let id = check::required(faults, &at("id"), self.id);
        let name = check::name(faults, &at("name"), self.name.as_deref(), limits);
        let address = check::required(faults, &at("address"), self.address.as_ref());
        if let Some(address) = address {
            check::text(faults, &at("address"), address, 0, limits.address);
        }
        let position = Position::check(faults, self.latitude, self.longitude);
        let tags = check::tags(faults, &at("tags"), &self.tags, limits);
        Some(Location {
            id: id?,
            name: name?,
            address: address?.clone(),
            position,
            tags,
            graphic_plan_ids: Vec::new(),
        })
    }
}
