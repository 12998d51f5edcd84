//! Points of a location, and their history.

mod draft;
mod history;
mod list;

pub use draft::{PlanPlaceDraft, PointDraft};
#[cfg(feature = "mock")]
pub use history::MockPointHistory;
pub use history::{
    HistoryFilter, HistoryList, HistoryQuery, HistoryRecord, HistorySort, PointHistory,
};
pub use list::{PointFilter, PointList, PointSort};

use crate::{
    location::Position,
    shared::{
        identified::Identified,
        ids::{GraphicPlanId, LocationId, PointId},
        named::named,
        text,
    },
};

named! {
    /// How a guard proves a visit to a point. No type requires `rfid_code` or `qr_code`.
    PointType {
        /// Without scanning anything.
        Virtual = "VIRTUAL", 0;
        /// By scanning a printed code.
        Qr = "QR", 1;
        /// By reading an RFID tag.
        Rfid = "RFID", 2;
        /// By reading an NFC tag.
        Nfc = "NFC", 3;
        /// By receiving a Bluetooth beacon.
        Ble = "BLE", 4;
    }
}

named! {
    /// The kind of change in a history record.
    Operation {
        /// The point was created or imported.
        Create = "CREATE", 0;
        /// The point was replaced by PUT.
        Update = "UPDATE", 1;
        /// The point was deleted.
        Delete = "DELETE", 2;
    }
}

/// A place of a location that guards visit.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Unique among points; never changes.
    pub id: PointId,
    /// The location of the point.
    pub location_id: LocationId,
    /// 1 to 255 characters by default.
    pub name: String,
    /// How guards prove a visit to the point.
    pub kind: PointType,
    /// The coordinates, if they are known.
    pub position: Option<Position>,
    /// The places of the point on graphic plans; at most 100 by default.
    pub graphic_plans: Vec<PlanPlace>,
    /// The code of the RFID tag. Unique among points with an RFID code.
    pub rfid_code: Option<String>,
    /// The printed code. Unique among points with a printed code.
    pub qr_code: Option<String>,
    /// At most 100 by default, without duplicates.
    pub tags: Vec<String>,
}

impl Identified for Point {
    type Id = PointId;
    const HAS_VERSIONS: bool = true;
}

impl Point {
    /// A point with only its required members.
    pub fn new(
        id: PointId,
        location_id: LocationId,
        name: impl Into<String>,
        kind: PointType,
    ) -> Self {
        Self {
            id,
            location_id,
            name: name.into(),
            kind,
            position: None,
            graphic_plans: Vec::new(),
            rfid_code: None,
            qr_code: None,
            tags: Vec::new(),
        }
    }

    /// The approximate memory of the texts and lists, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        let codes = [&self.rfid_code, &self.qr_code].into_iter().flatten();
        let further = self.graphic_plans.iter().flat_map(|place| &place.further);
        self.name.len()
            + codes.map(String::len).sum::<usize>()
            + text::bytes(&self.tags)
            + size_of_val(self.graphic_plans.as_slice())
            + further
                .map(|member| size_of_val(member) + member.0.len() + member.1.len())
                .sum::<usize>()
    }
}

/// The place of a point on a graphic plan.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanPlace {
    /// A plan of the point's location.
    pub plan: GraphicPlanId,
    /// From the left edge (0) to the right edge (1).
    pub x: Option<f64>,
    /// From the top edge (0) to the bottom edge (1).
    pub y: Option<f64>,
    /// Further members that the client sent, in the same order: name, and value as JSON text. Stored
    /// and returned unchanged.
    pub further: Vec<(String, String)>,
}
