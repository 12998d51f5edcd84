//! Points of a location, and their history (interface 2.2, decisions 7).

mod draft;
mod history;
mod port;

pub use draft::{PlanPlaceDraft, PointDraft};
pub use history::{HistoryFilter, HistoryList, HistoryQuery, HistoryRecord, HistorySort};
#[cfg(feature = "mock")]
pub use port::MockPoints;
pub use port::{Creation, NewPoint, Points};

use crate::{
    location::Position,
    shared::{
        ids::{GraphicPlanId, LocationId, PointId},
        named::named,
        text,
    },
};

named! {
    /// How presence at a point is shown. No type requires its code (decisions 7).
    PointType {
        /// By being there.
        Virtual = "VIRTUAL", 0;
        /// By a printed code.
        Qr = "QR", 1;
        /// By an RFID tag.
        Rfid = "RFID", 2;
        /// By an NFC tag.
        Nfc = "NFC", 3;
        /// By a Bluetooth beacon.
        Ble = "BLE", 4;
    }
}

named! {
    /// What happened to a point, as its history tells it (decisions 7).
    Operation {
        /// It was created or imported.
        Create = "CREATE", 0;
        /// It was replaced.
        Update = "UPDATE", 1;
        /// It was deleted; the record holds it as it last was.
        Delete = "DELETE", 2;
    }
}

/// A point of a location.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Its id.
    pub id: PointId,
    /// The location that it belongs to.
    pub location_id: LocationId,
    /// What it is called.
    pub name: String,
    /// How presence is shown.
    pub kind: PointType,
    /// Where it is, if that is known.
    pub position: Option<Position>,
    /// Where it is shown on graphic plans.
    pub graphic_plans: Vec<PlanPlace>,
    /// The code of its RFID tag, unique among points that have one.
    pub rfid_code: Option<String>,
    /// Its printed code, unique among points that have one.
    pub qr_code: Option<String>,
    /// Tags; none twice.
    pub tags: Vec<String>,
}

impl Point {
    /// About how many bytes of memory its texts and lists take.
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

/// A place on a graphic plan.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanPlace {
    /// A graphic plan of the point's location.
    pub plan: GraphicPlanId,
    /// From left to right, 0 to 1.
    pub x: Option<f64>,
    /// From top to bottom, 0 to 1.
    pub y: Option<f64>,
    /// Further members as they were sent, in their order: name, and value as JSON text. They are
    /// kept and returned (decisions 7).
    pub further: Vec<(String, String)>,
}
