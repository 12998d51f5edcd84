//! Points as lines of the data set.

use patrol_domain::{
    Faults, Path, Rules,
    data_set::Record,
    ids::{GraphicPlanId, LocationId, PointId, Uuid},
    point::{PlanPlace, PlanPlaceDraft, Point, PointDraft, PointType},
    shared::check,
};
use patrol_json::{fields::Fields, write};
use serde::Serialize;

use crate::messages;

/// The members of a line: the id and the other members.
pub(crate) type PointLine = (Option<PointId>, PointDraft);

pub(crate) fn read(fields: &mut Fields<'_>) -> PointLine {
    let id = fields.uuid("id");
    let draft = PointDraft {
        location_id: fields.uuid("locationId"),
        name: fields.text("name"),
        kind: fields.text("type"),
        latitude: fields.number("latitude"),
        longitude: fields.number("longitude"),
        graphic_plans: fields.list("graphicPlans", read_place).unwrap_or_default(),
        rfid_code: fields.text("rfidCode"),
        qr_code: fields.text("qrCode"),
        tags: fields.texts("tags").unwrap_or_default(),
    };
    (id, draft)
}

/// The record of a line. The store checks the references.
pub(crate) fn record((id, draft): PointLine, rules: &Rules) -> Result<Record, Vec<String>> {
    let mut faults = Faults::new();
    let id = check::required(&mut faults, &Path::Root.field("id"), id);
    let id_faults = messages::rule_faults(&faults.into_vec());
    // If the id is missing, the other members are still checked, to report their faults.
    let checked = messages::checked(draft.check(id.unwrap_or(PointId(Uuid::nil())), None, rules));
    match checked {
        Ok(point) if id_faults.is_empty() => Ok(Record::Point(Box::new(point))),
        Ok(_) => Err(id_faults),
        Err(faults) => Err([id_faults, faults].concat()),
    }
}

fn read_place(fields: &mut Fields<'_>) -> PlanPlaceDraft {
    PlanPlaceDraft {
        id: fields.uuid("id"),
        x: fields.number("x"),
        y: fields.number("y"),
        further: fields.further(),
    }
}

/// A point as a line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row<'a> {
    #[serde(serialize_with = "write::id")]
    id: PointId,
    #[serde(serialize_with = "write::id")]
    location_id: LocationId,
    name: &'a str,
    #[serde(rename = "type", serialize_with = "write::name")]
    kind: PointType,
    #[serde(serialize_with = "write::number_or_null")]
    latitude: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    longitude: Option<f64>,
    graphic_plans: Vec<PlaceRow<'a>>,
    rfid_code: Option<&'a str>,
    qr_code: Option<&'a str>,
    tags: &'a [String],
}

impl<'a> From<&'a Point> for Row<'a> {
    fn from(point: &'a Point) -> Self {
        let Point {
            id,
            location_id,
            name,
            kind,
            position,
            graphic_plans,
            rfid_code,
            qr_code,
            tags,
        } = point;
        Self {
            id: *id,
            location_id: *location_id,
            name,
            kind: *kind,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: graphic_plans.iter().map(PlaceRow::from).collect(),
            rfid_code: rfid_code.as_deref(),
            qr_code: qr_code.as_deref(),
            tags,
        }
    }
}

/// A place on a graphic plan, with its further members as they were sent.
#[derive(Serialize)]
struct PlaceRow<'a> {
    #[serde(serialize_with = "write::id")]
    id: GraphicPlanId,
    #[serde(serialize_with = "write::number_or_null")]
    x: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    y: Option<f64>,
    #[serde(flatten, serialize_with = "write::further")]
    further: &'a [(String, String)],
}

impl<'a> From<&'a PlanPlace> for PlaceRow<'a> {
    fn from(place: &'a PlanPlace) -> Self {
        let PlanPlace { plan, x, y, further } = place;
        Self { id: *plan, x: *x, y: *y, further }
    }
}
