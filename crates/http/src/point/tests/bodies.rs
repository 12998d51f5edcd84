//! How bodies are read.

use patrol_domain::point::{PlanPlaceDraft, PointDraft};
use patrol_json::{document, fields};

use crate::{route::JsonObject as _, tests::id};

fn read(body: &str) -> Result<PointDraft, Vec<(String, &'static str)>> {
    let document = document::parse(body.as_bytes(), 64).unwrap();
    fields::object(&document, PointDraft::read).map_err(|faults| {
        let answer = |fault: fields::TypeFault| {
            (fault.identifier.unwrap_or_default(), fault.expected.name())
        };
        faults.into_iter().map(answer).collect()
    })
}

#[test]
fn a_point_is_read_with_all_its_members() {
    let body = r#"{"id": "not looked at", "locationId": "0190A000-0000-7000-8000-000000000001",
        "name": "Gate", "type": "QR", "latitude": 59.93, "longitude": -30,
        "graphicPlans": [{"label": "G", "x": 0.25, "id": "0190a000-0000-7000-8000-000000000701",
          "y": 1, "style": {"b": 1.50, "a": [null]}}],
        "rfidCode": "04:A2", "qrCode": "GATE-1", "tags": ["a", "b"], "unknown": 1}"#;
    let further = [("label", "\"G\""), ("style", "{\"b\":1.5,\"a\":[null]}")];
    let expected = PointDraft {
        location_id: Some(id(0x001)),
        name: Some("Gate".into()),
        kind: Some("QR".into()),
        latitude: Some(59.93),
        longitude: Some(-30.0),
        graphic_plans: vec![PlanPlaceDraft {
            id: Some(id(0x701)),
            x: Some(0.25),
            y: Some(1.0),
            further: further.map(|(name, text)| (name.into(), text.into())).into(),
        }],
        rfid_code: Some("04:A2".into()),
        qr_code: Some("GATE-1".into()),
        tags: vec!["a".into(), "b".into()],
    };
    assert_eq!(read(body).unwrap(), expected);
}

#[test]
fn absent_and_null_are_the_same() {
    let nulls = r#"{"locationId": null, "name": null, "type": null, "latitude": null,
        "longitude": null, "graphicPlans": null, "rfidCode": null, "qrCode": null, "tags": null}"#;
    assert_eq!(read(nulls).unwrap(), PointDraft::default());
    assert_eq!(read("{}").unwrap(), PointDraft::default());
    let place = r#"{"graphicPlans": [{"id": null, "x": null, "y": null}, {}]}"#;
    let bare = PlanPlaceDraft::default();
    assert_eq!(read(place).unwrap().graphic_plans, [bare.clone(), bare]);
}

#[test]
fn every_member_has_its_type() {
    let body = r#"{"locationId": 1, "name": 2, "type": [], "latitude": "59", "longitude": {},
        "graphicPlans": [{"id": "x", "x": "0", "y": true}, 5, null], "rfidCode": 1, "qrCode": [],
        "tags": ["a", 1, null]}"#;
    let expected = [
        ("locationId", "UUID"),
        ("name", "STRING"),
        ("type", "STRING"),
        ("latitude", "NUMBER"),
        ("longitude", "NUMBER"),
        ("graphicPlans[0].id", "UUID"),
        ("graphicPlans[0].x", "NUMBER"),
        ("graphicPlans[0].y", "NUMBER"),
        ("graphicPlans[1]", "OBJECT"),
        ("graphicPlans[2]", "OBJECT"),
        ("rfidCode", "STRING"),
        ("qrCode", "STRING"),
        ("tags[1]", "STRING"),
        ("tags[2]", "STRING"),
    ];
    let expected: Vec<_> = expected.map(|(path, name)| (path.to_owned(), name)).into();
    assert_eq!(read(body).unwrap_err(), expected);
    for body in [r#"{"graphicPlans": {}}"#, r#"{"graphicPlans": "none"}"#] {
        assert_eq!(read(body).unwrap_err(), [("graphicPlans".to_owned(), "ARRAY")], "{body}");
    }
}
