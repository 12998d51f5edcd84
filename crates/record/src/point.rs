//! Points and their history records.

use patrol_domain::{
    Timestamp,
    ids::{GraphicPlanId, LocationId, PointId},
    point::{HistoryRecord, Operation, PlanPlace, Point, PointType},
};
use patrol_json::write;
use serde::Serialize;

/// The JSON form of a point.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct PointRecord<'a> {
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
            id: *id,
            location_id: *location_id,
            name,
            kind: *kind,
            latitude: position.map(|position| position.latitude),
            longitude: position.map(|position| position.longitude),
            graphic_plans: graphic_plans.iter().map(PlaceRecord::new).collect(),
            rfid_code: rfid_code.as_deref(),
            qr_code: qr_code.as_deref(),
            tags,
        }
    }
}

/// A place on a graphic plan, with its further members as they were sent.
#[derive(Serialize, Debug)]
struct PlaceRecord<'a> {
    #[serde(serialize_with = "write::id")]
    id: GraphicPlanId,
    #[serde(serialize_with = "write::number_or_null")]
    x: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    y: Option<f64>,
    #[serde(flatten, serialize_with = "write::further")]
    further: &'a [(String, String)],
}

impl<'a> PlaceRecord<'a> {
    fn new(place: &'a PlanPlace) -> Self {
        let PlanPlace { plan, x, y, further } = place;
        Self { id: *plan, x: *x, y: *y, further }
    }
}

/// A history record: the point, and the change.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRow<'a> {
    #[serde(flatten)]
    point: PointRecord<'a>,
    history_id: i64,
    #[serde(serialize_with = "write::name")]
    operation: Operation,
    #[serde(serialize_with = "write::timestamp")]
    recorded_at: Timestamp,
}

impl<'a> HistoryRow<'a> {
    /// The JSON form of a record.
    #[must_use]
    pub fn new(record: &'a HistoryRecord) -> Self {
        let HistoryRecord { history_id, operation, recorded_at, point } = record;
        Self {
            point: PointRecord::new(point),
            history_id: *history_id,
            operation: *operation,
            recorded_at: *recorded_at,
        }
    }
}
