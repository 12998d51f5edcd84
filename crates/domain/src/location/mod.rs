//! Locations and their graphic plans.

mod list;

#[cfg(feature = "mock")]
pub use list::MockLocations;
pub use list::{
    LocationFilter, LocationItem, LocationList, LocationQuery, LocationSort, Locations,
};

use crate::shared::{
    check,
    fault::{Faults, Path, Refusal, Rule},
    ids::{GraphicPlanId, LocationId},
    rules::Rules,
};

/// A guarded place, for example a building.
#[derive(Clone, PartialEq, Debug)]
pub struct Location {
    /// Unique among locations; never changes.
    pub id: LocationId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// At most 1,000 characters by default; may be empty.
    pub address: String,
    /// The coordinates, if they are known.
    pub position: Option<Position>,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
}

impl Location {
    /// A location with only its required members.
    pub fn new(id: LocationId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), address: String::new(), position: None, tags: Vec::new() }
    }
}

/// A plan of a location, for example a floor plan, on which points are placed.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphicPlan {
    /// Unique among graphic plans; never changes.
    pub id: GraphicPlanId,
    /// The location that the plan shows.
    pub location_id: LocationId,
    /// 1 to 255 characters by default.
    pub name: String,
}

/// WGS 84 coordinates, as GPS receivers give them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Position {
    /// Degrees north, −90 to 90.
    pub latitude: f64,
    /// Degrees east, −180 to 180.
    pub longitude: f64,
}

impl Position {
    /// The position, if both coordinates are present and in range; `None` without a fault when both
    /// are absent. One without the other is a fault.
    pub(crate) fn check(
        faults: &mut Faults,
        latitude: Option<f64>,
        longitude: Option<f64>,
    ) -> Option<Self> {
        let at = |name| Path::Root.field(name);
        if latitude.is_none() && longitude.is_none() {
            return None;
        }
        for (name, degrees, bound) in [("latitude", latitude, 90), ("longitude", longitude, 180)] {
            match degrees {
                None => faults.push(&at(name), Rule::NotNull),
                Some(degrees) if !(f64::from(-bound)..=f64::from(bound)).contains(&degrees) => {
                    faults.push(
                        &at(name),
                        Rule::Range { min: i64::from(-bound), max: i64::from(bound) },
                    );
                }
                Some(_) => {}
            }
        }
        Some(Self { latitude: latitude?, longitude: longitude? })
    }
}

/// A location of the data set: the JSON types are checked, the field rules are not.
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
    /// The location, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<Location, Refusal> {
        let mut faults = Faults::new();
        let location = self.checked(&mut faults, rules);
        location.ok_or_else(|| Refusal::Invalid(faults.into_vec()))
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
        Some(Location { id: id?, name: name?, address: address?.clone(), position, tags })
            .filter(|_| faults.is_empty())
    }
}

/// A graphic plan of the data set: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct GraphicPlanDraft {
    pub id: Option<GraphicPlanId>,
    pub location_id: Option<LocationId>,
    pub name: Option<String>,
}

impl GraphicPlanDraft {
    /// The graphic plan, if all members meet their rules.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<GraphicPlan, Refusal> {
        let mut faults = Faults::new();
        let at = |name| Path::Root.field(name);
        let id = check::required(&mut faults, &at("id"), self.id);
        let location_id = check::required(&mut faults, &at("locationId"), self.location_id);
        let name = check::name(&mut faults, &at("name"), self.name.as_deref(), &rules.limits);
        match (id, location_id, name) {
            (Some(id), Some(location_id), Some(name)) => {
                faults.into_result(GraphicPlan { id, location_id, name })
            }
            _ => Err(Refusal::Invalid(faults.into_vec())),
        }
    }
}
