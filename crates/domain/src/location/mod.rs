//! Locations.

mod draft;
mod list;

pub use draft::LocationDraft;
pub use list::{LocationFilter, LocationList, LocationSort};

use crate::shared::{
    fault::{Faults, Path, Rule},
    ids::{GraphicPlanId, LocationId},
    text,
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
    /// The graphic plans of the location, ascending. Only a change of the plans changes this list.
    /// It is empty in the data set.
    pub graphic_plan_ids: Vec<GraphicPlanId>,
}

impl Location {
    /// A location with only its required members.
    pub fn new(id: LocationId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            address: String::new(),
            position: None,
            tags: Vec::new(),
            graphic_plan_ids: Vec::new(),
        }
    }

    /// The approximate memory of the texts and lists, in bytes.
    fn heap_bytes(&self) -> usize {
        self.name.len()
            + self.address.len()
            + text::bytes(&self.tags)
            + size_of_val(self.graphic_plan_ids.as_slice())
    }
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
        if latitude.is_none() && longitude.is_none() {
            return None;
        }
        Self::required(faults, &Path::Root, latitude, longitude)
    }

    /// The position of the object at `path`, which has to have both coordinates, in range.
    pub(crate) fn required(
        faults: &mut Faults,
        path: &Path<'_>,
        latitude: Option<f64>,
        longitude: Option<f64>,
    ) -> Option<Self> {
        let at = |name| path.field(name);
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
