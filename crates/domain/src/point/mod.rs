//! Points of a location (interface 2.2, decisions 7).

use crate::{
    location::Position,
    shared::{
        check,
        fault::{Faults, Path, Refusal, Rule},
        ids::{GraphicPlanId, LocationId, PointId},
        named::named,
        rules::Rules,
    },
};

named! {
    /// How presence at a point is shown. No type requires its code (decisions 7).
    PointType {
        /// By being there.
        Virtual = "VIRTUAL",
        /// By a printed code.
        Qr = "QR",
        /// By an RFID tag.
        Rfid = "RFID",
        /// By an NFC tag.
        Nfc = "NFC",
        /// By a Bluetooth beacon.
        Ble = "BLE",
    }
}

named! {
    /// What happened to a point, as its history tells it (decisions 7).
    Operation {
        /// It was created or imported.
        Create = "CREATE",
        /// It was replaced.
        Update = "UPDATE",
        /// It was deleted; the record holds it as it last was.
        Delete = "DELETE",
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

/// A point as the data set gives it.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // the names are the interface's
pub struct PointDraft {
    pub id: Option<PointId>,
    pub location_id: Option<LocationId>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub graphic_plans: Vec<PlanPlaceDraft>,
    pub rfid_code: Option<String>,
    pub qr_code: Option<String>,
    pub tags: Vec<String>,
}

/// A place on a graphic plan as it was sent.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // the names are the interface's
pub struct PlanPlaceDraft {
    pub id: Option<GraphicPlanId>,
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub further: Vec<(String, String)>,
}

impl PointDraft {
    /// The point.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    pub fn check(&self, rules: &Rules) -> Result<Point, Refusal> {
        let mut faults = Faults::new();
        let point = self.checked(&mut faults, rules);
        point.ok_or_else(|| Refusal::Invalid(faults.into_vec()))
    }

    fn checked(&self, faults: &mut Faults, rules: &Rules) -> Option<Point> {
        let limits = &rules.limits;
        let at = |name| Path::Root.field(name);
        let id = check::required(faults, &at("id"), self.id);
        let location_id = check::required(faults, &at("locationId"), self.location_id);
        let name = check::name(faults, &at("name"), self.name.as_deref(), limits);
        let kind = check::required(faults, &at("type"), self.kind.as_deref())
            .and_then(|kind| check::named(faults, &at("type"), kind));
        let position = Position::check(faults, self.latitude, self.longitude);
        let plans = at("graphicPlans");
        let graphic_plans: Vec<_> = self
            .graphic_plans
            .iter()
            .enumerate()
            .map(|(index, place)| place.checked(faults, &plans.index(index)))
            .collect();
        for (name, code) in [("rfidCode", &self.rfid_code), ("qrCode", &self.qr_code)] {
            if let Some(code) = code {
                check::text(faults, &at(name), code, 1, limits.text);
            }
        }
        let tags = check::tags(faults, &at("tags"), &self.tags, limits);
        Some(Point {
            id: id?,
            location_id: location_id?,
            name: name?,
            kind: kind?,
            position,
            graphic_plans: graphic_plans.into_iter().collect::<Option<_>>()?,
            rfid_code: self.rfid_code.clone(),
            qr_code: self.qr_code.clone(),
            tags,
        })
        .filter(|_| faults.is_empty())
    }
}

impl PlanPlaceDraft {
    fn checked(&self, faults: &mut Faults, path: &Path<'_>) -> Option<PlanPlace> {
        let plan = check::required(faults, &path.field("id"), self.id);
        for (name, share) in [("x", self.x), ("y", self.y)] {
            if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
                faults.push(&path.field(name), Rule::Range { min: 0, max: 1 });
            }
        }
        Some(PlanPlace { plan: plan?, x: self.x, y: self.y, further: self.further.clone() })
    }
}
