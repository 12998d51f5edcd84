//! The content of a location in POST, PUT and the data set.

use super::{Location, Position};
use crate::shared::{
    check,
    existing::{Existing, References},
    fault::{Faults, Path, Refusal, Rule},
    ids::LocationId,
    rules::Rules,
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

impl LocationDraft {
    /// The draft with the defaults of POST and PUT: an empty address. The data set requires one.
    #[must_use]
    pub fn with_defaults(self) -> Self {
        Self { address: Some(self.address.unwrap_or_default()), ..self }
    }

    /// The records that the store has to look up for a new location.
    #[must_use]
    pub fn references(&self) -> References {
        References::default().with(self.id)
    }

    /// The new location, if its id is unused and all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check_new(&self, existing: &Existing, rules: &Rules) -> Result<Location, Refusal> {
        let mut faults = Faults::new();
        if self.id.is_some_and(|id| existing.has(id)) {
            faults.push(&Path::Root.field("id"), Rule::Unique);
        }
        let location = self.checked(&mut faults, rules);
        location.ok_or_else(|| Refusal::Invalid(faults.into_vec()))
    }

    /// The location, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<Location, Refusal> {
        let mut faults = Faults::new();
        let location = self.checked(&mut faults, rules);
        location.ok_or_else(|| Refusal::Invalid(faults.into_vec()))
    }

    /// The location `old` with this content.
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn replace(&self, old: &Location, rules: &Rules) -> Result<Location, Refusal> {
        let content = Self { id: Some(old.id), ..self.clone() }.check(rules)?;
        Ok(Location { graphic_plan_ids: old.graphic_plan_ids.clone(), ..content })
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
        .filter(|_| faults.is_empty())
    }
}
