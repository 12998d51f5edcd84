//! The output forms of records.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests too

use patrol_domain::{
    Timestamp,
    access::Role,
    ids::{LocationId, UserId, Uuid},
};
use patrol_record::json::write;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    #[serde(serialize_with = "write::id")]
    id: UserId,
    #[serde(serialize_with = "write::ids")]
    location_ids: Vec<LocationId>,
    #[serde(serialize_with = "write::name")]
    role: Role,
    #[serde(serialize_with = "write::display")]
    start_at: Timestamp,
    #[serde(serialize_with = "write::number_or_null")]
    x: Option<f64>,
    #[serde(serialize_with = "write::number_or_null")]
    y: Option<f64>,
    #[serde(flatten, serialize_with = "write::further")]
    further: Vec<(String, String)>,
}

fn row() -> Row {
    let id = Uuid::try_parse("0190A000-0000-7000-8000-00000000000A").unwrap();
    Row {
        id: UserId(id),
        location_ids: vec![LocationId(id)],
        role: Role::Manager,
        start_at: Timestamp::parse("2026-01-31T08:00:00Z").unwrap(),
        x: Some(1.0),
        y: Some(0.25),
        further: vec![("note".to_owned(), r#"{"a":[1]}"#.to_owned())],
    }
}

#[test]
fn values_are_written_in_the_documented_forms() {
    assert_eq!(
        serde_json::to_string(&row()).unwrap(),
        r#"{"id":"0190a000-0000-7000-8000-00000000000a","locationIds":["0190a000-0000-7000-8000-00000000000a"],"role":"MANAGER","startAt":"2026-01-31T08:00:00.000Z","x":1,"y":0.25,"note":{"a":[1]}}"#
    );
}

#[test]
fn a_stored_member_that_is_not_json_is_an_error() {
    let broken = Row { further: vec![("note".to_owned(), "{".to_owned())], ..row() };
    assert_eq!(
        serde_json::to_string(&broken).unwrap_err().to_string(),
        "a stored member is not JSON"
    );
}

#[test]
fn extreme_values_are_written() {
    let last = Timestamp::parse("9999-12-31T23:59:59.9999Z").unwrap();
    let text = serde_json::to_string(&Row { start_at: last, ..row() }).unwrap();
    assert!(text.contains(r#""startAt":"9999-12-31T23:59:59.999Z""#), "{text}");
    let other = Row {
        id: UserId(Uuid::max()),
        location_ids: Vec::new(),
        start_at: Timestamp::parse("0001-01-01T00:00:00Z").unwrap(),
        x: Some(-0.0),
        y: None,
        further: Vec::new(),
        ..row()
    };
    assert_eq!(
        serde_json::to_string(&other).unwrap(),
        r#"{"id":"ffffffff-ffff-ffff-ffff-ffffffffffff","locationIds":[],"role":"MANAGER","startAt":"0001-01-01T00:00:00.000Z","x":0,"y":null}"#
    );
}

#[test]
fn a_number_that_is_not_finite_is_an_error() {
    for broken in [f64::NAN, f64::INFINITY] {
        let broken = Row { x: Some(broken), ..row() };
        let error = serde_json::to_string(&broken).unwrap_err();
        assert_eq!(error.to_string(), "a number is not finite");
    }
}
