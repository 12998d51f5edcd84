//! Typed reading, and the faults that it finds.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests too

use patrol_domain::{
    Patch, Timestamp,
    ids::{LocationId, UserId, Uuid},
};
use patrol_json::{
    document::{Json, parse},
    fields::{self, Expected, Inexact, TypeFault},
};

const ID: &str = "0190a000-0000-7000-8000-00000000000a";

fn json(text: &str) -> Json<'_> {
    parse(text.as_bytes(), 64).unwrap()
}

fn fault(identifier: &str, expected: Expected) -> TypeFault {
    let identifier = Some(identifier.to_owned()).filter(|identifier| !identifier.is_empty());
    TypeFault { identifier, expected }
}

#[test]
fn members_of_every_type_are_read() {
    let text = format!(
        r#"{{"text":"a","id":"{}","integer":2.0,"number":10,"flag":false,
            "at":"2026-01-31T10:00:00+02:00","tags":["x","x"],"ids":["{ID}"],
            "list":[{{"n":1}},{{}}],"object":{{"n":3}}}}"#,
        ID.to_uppercase()
    );
    let uuid = Uuid::try_parse(ID).unwrap();
    fields::object(&json(&text), |fields| {
        assert_eq!(fields.text("text").as_deref(), Some("a"));
        assert_eq!(fields.uuid("id"), Some(LocationId(uuid)));
        assert_eq!(fields.integer("integer"), Some(2));
        assert_eq!(fields.number("number"), Some(10.0));
        assert_eq!(fields.boolean("flag"), Some(false));
        assert_eq!(fields.timestamp("at"), Timestamp::parse("2026-01-31T08:00:00Z"));
        assert_eq!(fields.texts("tags"), Some(vec!["x".to_owned(), "x".to_owned()]));
        assert_eq!(fields.uuids("ids"), Some(vec![UserId(uuid)]));
        assert_eq!(fields.list("list", |fields| fields.integer("n")), Some(vec![Some(1), None]));
        assert_eq!(fields.object("object", |fields| fields.integer("n")), Some(Some(3)));
    })
    .unwrap();
}

#[test]
fn absent_and_null_are_one_for_a_plain_member_and_two_for_a_patch() {
    fields::object(&json(r#"{"null":null,"text":"a","tags":[]}"#), |fields| {
        assert_eq!(fields.text("absent"), None);
        assert_eq!(fields.text("null"), None);
        assert_eq!(fields.patch_text("absent"), Patch::Absent);
        assert_eq!(fields.patch_text("null"), Patch::Null);
        assert_eq!(fields.patch_text("text"), Patch::Value("a".to_owned()));
        assert_eq!(fields.patch_texts("tags"), Patch::Value(Vec::new()));
        assert_eq!(fields.patch_list("null", |_| ()), Patch::Null);
        assert_eq!(fields.patch_object("absent", |_| ()), Patch::Absent);
    })
    .unwrap();
}

#[test]
fn all_faults_are_found_in_the_order_of_the_questions() {
    let body = json(
        r#"{"steps":[{"actions":[{},{"type":1}]},null],"id":"x","name":[],"at":"today","n":"1",
            "order":2.5,"big":9223372036854775808,"flag":"true","tags":["a",null,3],"ids":[1],
            "list":{},"object":[]}"#,
    );
    let read = fields::object(&body, |fields| {
        fields.text("name");
        fields.uuid::<Uuid>("id");
        fields.timestamp("at");
        fields.number("n");
        fields.integer("order");
        fields.integer("big");
        fields.boolean("flag");
        fields.texts("tags");
        fields.uuids::<Uuid>("ids");
        fields.list("list", |_| ());
        fields.object("object", |_| ());
        fields.list("steps", |fields| {
            fields.list("actions", |fields| fields.text("type"));
        });
    });
    assert_eq!(
        read.unwrap_err(),
        [
            fault("name", Expected::String),
            fault("id", Expected::Uuid),
            fault("at", Expected::Timestamp),
            fault("n", Expected::Number),
            fault("order", Expected::Integer),
            fault("big", Expected::Integer),
            fault("flag", Expected::Boolean),
            fault("tags[1]", Expected::String),
            fault("tags[2]", Expected::String),
            fault("ids[0]", Expected::Uuid),
            fault("list", Expected::Array),
            fault("object", Expected::Object),
            fault("steps[0].actions[1].type", Expected::String),
            fault("steps[1]", Expected::Object),
        ]
    );
}

#[test]
fn a_body_of_the_wrong_type_is_a_fault_without_identifier() {
    for text in ["[]", "null", "1", r#""text""#] {
        let read = fields::object(&json(text), |_| ());
        assert_eq!(read.unwrap_err(), [fault("", Expected::Object)], "{text}");
    }
    assert_eq!(fields::objects(&json("{}"), |_| ()).unwrap_err(), [fault("", Expected::Array)]);
}

#[test]
fn a_batch_is_a_list_of_objects() {
    let read = |text| fields::objects(&json(text), |fields| fields.text("email"));
    assert_eq!(read("[]").unwrap(), []);
    assert_eq!(read(r#"[{"email":"a"},{}]"#).unwrap(), [Some("a".to_owned()), None]);
    assert_eq!(
        read(r#"[{},1,{"email":2}]"#).unwrap_err(),
        [fault("[1]", Expected::Object), fault("[2].email", Expected::String)]
    );
}

#[test]
fn members_that_nothing_asks_for_are_ignored_or_listed() {
    let text = r#"{"z":1,"name":"a","steps":[{"id":1,"order":"x"}],"y":{"a":1}}"#;
    let read = |fields: &mut fields::Fields<'_>| {
        fields.list("steps", |fields| fields.integer("order"));
        fields.text("name");
    };
    let found = fields::object(&json(text), read).unwrap_err();
    assert_eq!(found, [fault("steps[0].order", Expected::Integer)]);
    let found = fields::exact_object(&json(text), read).unwrap_err();
    let unknown = ["steps[0].id", "z", "y"].map(str::to_owned).to_vec();
    assert_eq!(
        found,
        Inexact { faults: vec![fault("steps[0].order", Expected::Integer)], unknown }
    );
    assert!(fields::exact_object(&json(r#"{"name":"a"}"#), read).is_ok());
    let found = fields::exact_object(&json("3"), read).unwrap_err();
    assert_eq!(found, Inexact { faults: vec![fault("", Expected::Object)], unknown: Vec::new() });
}

#[test]
fn further_members_are_kept_as_they_are() {
    let text =
        format!(r#"{{"colour":"r\u00e9d","id":"{ID}","size":[1.50,{{"a":null}},1e2],"x":1}}"#);
    let read = |fields: &mut fields::Fields<'_>| {
        fields.uuid::<Uuid>("id");
        fields.number("x");
        fields.further()
    };
    let further = fields::exact_object(&json(&text), read).unwrap();
    let kept = [("colour", r#""réd""#), ("size", r#"[1.5,{"a":null},100]"#)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(further, kept);
}
