//! Locations, and the graphic plans of them (interface 2.3).

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

/// A place that is guarded.
#[derive(Clone, PartialEq, Debug)]
pub struct Location {
    /// Its id.
    pub id: LocationId,
    /// What it is called.
    pub name: String,
    /// Its address; may be empty.
    pub address: String,
    /// Where it is, if that is known.
    pub position: Option<Position>,
    /// Tags; none twice.
    pub tags: Vec<String>,
}

/// A plan of a location, on which points are shown.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphicPlan {
    /// Its id.
    pub id: GraphicPlanId,
    /// The location that it is a plan of.
    pub location_id: LocationId,
    /// What it is called.
    pub name: String,
}

/// A place on earth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Position {
    /// Degrees north, −90 to 90.
    pub latitude: f64,
    /// Degrees east, −180 to 180.
    pub longitude: f64,
}

impl Position {
    /// The position, when both are given and in their range; one without the other is a fault
    /// (decisions 7).
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

/// A location as the data set gives it.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // the names are the interface's
pub struct LocationDraft {
    pub id: Option<LocationId>,
    pub name: Option<String>,
    pub address: Option<String>,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub tags: Vec<String>,
}

impl LocationDraft {
    /// The location.
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

/// A graphic plan as the data set gives it.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // the names are the interface's
pub struct GraphicPlanDraft {
    pub id: Option<GraphicPlanId>,
    pub location_id: Option<LocationId>,
    pub name: Option<String>,
}

impl GraphicPlanDraft {
    /// The graphic plan.
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
                faults.or(GraphicPlan { id, location_id, name })
            }
            _ => Err(Refusal::Invalid(faults.into_vec())),
        }
    }
}
