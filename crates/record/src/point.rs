//! Points and their history records.

use patrol_domain::point::{HistoryRecord, PlanPlace, PlanPlaceDraft, Point, PointDraft};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    json::{fields::Fields, write},
    value::{HistoryOperation, Id, PointType, Time},
};

/// A point of a location.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Point)]
pub struct PointRecord<'a> {
    id: Id,
    location_id: Id,
    name: &'a str,
    #[serde(rename = "type")]
    kind: PointType,
    #[serde(serialize_with = "write::number_or_null")]
    latitude: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    longitude: Option<f64>,
    graphic_plans: Vec<PlaceRecord<'a>>,
    rfid_code: Option<&'a str>,
    qr_code: Option<&'a str>,
    tags: &'a [String],
}

impl<'a> PointRecord<'a> {
    /// The record of a point.
    #[must_use]
    pub fn new(point: &'a Point) -> Self {
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
            id: Id::of(*id),
            location_id: Id::of(*location_id),
            name,
            kind: PointType(*kind),
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: graphic_plans.iter().map(PlaceRecord::new).collect(),
            rfid_code: rfid_code.as_deref(),
            qr_code: qr_code.as_deref(),
            tags,
        }
    }
}

/// Reads the members of a point, except its id.
pub fn read_point(fields: &mut Fields<'_>) -> PointDraft {
    PointDraft {
        location_id: fields.uuid("locationId"),
        name: fields.text("name"),
        kind: fields.text("type"),
        latitude: fields.number("latitude"),
        longitude: fields.number("longitude"),
        graphic_plans: fields.list("graphicPlans", read_place).unwrap_or_default(),
        rfid_code: fields.text("rfidCode"),
        qr_code: fields.text("qrCode"),
        tags: fields.texts("tags").unwrap_or_default(),
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

/// The place of a point on a graphic plan. Further members are stored and returned unchanged. The
/// place takes at most {limit_plan_place} as compact JSON.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = PlanPlace)]
pub struct PlaceRecord<'a> {
    /// A graphic plan of the point's location.
    id: Id,
    /// From the left edge (0) to the right edge (1).
    #[schema(minimum = 0, maximum = 1)]
    #[serde(serialize_with = "write::number_or_null")]
    x: Option<f64>,
    /// From the top edge (0) to the bottom edge (1).
    #[schema(minimum = 0, maximum = 1)]
    #[serde(serialize_with = "write::number_or_null")]
    y: Option<f64>,
    #[serde(flatten, serialize_with = "write::further")]
    #[schema(value_type = HashMap<String, Value>)]
    further: &'a [(String, String)],
}

impl<'a> PlaceRecord<'a> {
    fn new(place: &'a PlanPlace) -> Self {
        let PlanPlace { plan, x, y, further } = place;
        Self { id: Id::of(*plan), x: *x, y: *y, further }
    }
}

/// A change of a point, with the point after the change. For a deletion: with the point before it.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = PointHistoryRecord)]
pub struct HistoryRow<'a> {
    #[serde(flatten)]
    point: PointRecord<'a>,
    /// Grows with every record; a number is never used twice.
    history_id: i64,
    operation: HistoryOperation,
    recorded_at: Time,
}

impl<'a> HistoryRow<'a> {
    /// The JSON form of a record.
    #[must_use]
    pub fn new(record: &'a HistoryRecord) -> Self {
        let HistoryRecord { history_id, operation, recorded_at, point } = record;
        Self {
            point: PointRecord::new(point),
            history_id: *history_id,
            operation: HistoryOperation(*operation),
            recorded_at: Time(*recorded_at),
        }
    }
}
