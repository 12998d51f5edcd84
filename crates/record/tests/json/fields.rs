//! Typed reading and its faults.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests too

use patrol_domain::{
    Patch, Timestamp,
    ids::{LocationId, UserId, Uuid},
};
use patrol_record::json::{
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
fn only_a_patch_distinguishes_absent_and_null() {
    fields::object(&json(r#"{"null":null,"text":"a","tags":[]}"#), |fields| {
        assert_eq!(fields.text("absent"), None);
        assert_eq!(fields.text("null"), None);
        assert_eq!(fields.patch_text("absent"), Patch::Absent);
        assert_eq!(fields.patch_text("null"), Patch::Null);
        assert_eq!(fields.patch_text("text"), Patch::Value("a".to_owned()));
        assert_eq!(fields.patch_texts("tags"), Patch::Value(Vec::new()));
    })
    .unwrap();
}

const TIME: &str = "2026-01-31T08:00:00Z";

/// The result of a reader for each of these values: `.` accepted, `!` fault, `-` absent.
fn judged<T>(read: impl Fn(&mut fields::Fields<'_>) -> Option<T>, expected: Expected) -> String {
    let (id, time) = (format!("\"{ID}\""), format!("\"{TIME}\""));
    #[rustfmt::skip]
    let values = [
        "null", "true", "7", "7.0", "7.5", "\"7\"", &id, &time, "[]", "{}", r#"["7"]"#, "[{}]",
    ];
    let judged = values.map(|value| {
        let text = format!(r#"{{"m":{value}}}"#);
        match fields::object(&json(&text), &read) {
            Ok(Some(_)) => '.',
            Ok(None) => '-',
            Err(faults) => {
                let own = faults == [fault("m", expected)];
                let of_elements = !faults.is_empty()
                    && faults.iter().all(|fault| fault.identifier.as_deref() == Some("m[0]"));
                assert!(own || of_elements, "{faults:?}");
                if own { '!' } else { '[' }
            }
        }
    });
    assert!(fields::object(&json("{}"), &read).unwrap().is_none(), "absent");
    judged.iter().collect()
}

#[test]
fn every_reader_accepts_only_its_own_type() {
    use Expected::{Array, Boolean, Integer, Number, Object, String, Timestamp, Uuid as Id};
    assert_eq!(judged(|fields| fields.text("m"), String), "-!!!!...!!!!");
    assert_eq!(judged(|fields| fields.uuid::<UserId>("m"), Id), "-!!!!!.!!!!!");
    assert_eq!(judged(|fields| fields.integer("m"), Integer), "-!..!!!!!!!!");
    assert_eq!(judged(|fields| fields.number("m"), Number), "-!...!!!!!!!");
    assert_eq!(judged(|fields| fields.boolean("m"), Boolean), "-.!!!!!!!!!!");
    assert_eq!(judged(|fields| fields.timestamp("m"), Timestamp), "-!!!!!!.!!!!");
    assert_eq!(judged(|fields| fields.texts("m"), Array), "-!!!!!!!.!.[");
    assert_eq!(judged(|fields| fields.uuids::<UserId>("m"), Array), "-!!!!!!!.![[");
    assert_eq!(judged(|fields| fields.list("m", |_| ()), Array), "-!!!!!!!.![.");
    assert_eq!(judged(|fields| fields.object("m", |_| ()), Object), "-!!!!!!!!.!!");
}

#[test]
fn every_patch_reader_distinguishes_absent_null_and_value() {
    fn three<T: PartialEq + std::fmt::Debug>(
        value: &str,
        wanted: T,
        read: impl Fn(&mut fields::Fields<'_>) -> Patch<T>,
    ) {
        let of = |text: &str| fields::object(&json(text), &read);
        assert_eq!(of("{}").unwrap(), Patch::Absent);
        assert_eq!(of(r#"{"m":null}"#).unwrap(), Patch::Null);
        assert_eq!(of(&format!(r#"{{"m":{value}}}"#)).unwrap(), Patch::Value(wanted));
        assert!(of(r#"{"m":[[]]}"#).is_err());
    }
    let id = Uuid::try_parse(ID).unwrap();
    let time = Timestamp::parse(TIME).unwrap();
    three(r#""""#, String::new(), |fields| fields.patch_text("m"));
    three(&format!("\"{ID}\""), UserId(id), |fields| fields.patch_uuid("m"));
    three("-0", 0, |fields| fields.patch_integer("m"));
    three("1e-1", 0.1, |fields| fields.patch_number("m"));
    three("false", false, |fields| fields.patch_boolean("m"));
    three(&format!("\"{TIME}\""), time, |fields| fields.patch_timestamp("m"));
    three(r#"["a"]"#, vec!["a".to_owned()], |fields| fields.patch_texts("m"));
    three(&format!("[\"{ID}\"]"), vec![UserId(id)], |fields| fields.patch_uuids("m"));
}

#[test]
fn an_integer_is_whole_and_has_64_bits() {
    for (text, wanted) in [
        ("2.0", Some(2)),
        ("2e0", Some(2)),
        ("20e-1", Some(2)),
        ("-0.0", Some(0)),
        ("1e18", Some(1_000_000_000_000_000_000)),
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("-9223372036854775808.0", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("9223372036854775808.0", None),
        ("18446744073709551615", None),
        ("1e19", None),
        ("2.5", None),
        ("1e-1", None),
    ] {
        let text = format!(r#"{{"n":{text}}}"#);
        let read = fields::object(&json(&text), |fields| fields.integer("n"));
        match wanted {
            Some(_) => assert_eq!(read.unwrap(), wanted, "{text}"),
            None => assert_eq!(read.unwrap_err(), [fault("n", Expected::Integer)], "{text}"),
        }
    }
}

#[test]
fn ids_and_times_have_one_form() {
    let read = |text: &str| {
        let text = format!(r#"{{"m":"{text}"}}"#);
        let json = json(&text);
        let id = fields::object(&json, |fields| fields.uuid::<Uuid>("m")).ok().flatten();
        let time = fields::object(&json, |fields| fields.timestamp("m")).ok().flatten();
        (id.is_some(), time.is_some())
    };
    assert_eq!(read(&ID.to_uppercase()), (true, false));
    assert_eq!(read("2026-01-31t08:00:00.1234567+14:00"), (false, true));
    let braced = format!("{{{ID}}}");
    let urn = format!("urn:uuid:{ID}");
    for bad in [
        "",
        &ID.replace('-', ""),
        &braced,
        &urn,
        "2026-01-31",
        "2026-01-31T08:00:00",
        "2026-02-29T08:00:00Z",
        "10000-01-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "1769846400000",
    ] {
        assert_eq!(read(bad), (false, false), "{bad}");
    }
}

#[test]
fn a_fault_has_the_path_of_the_member() {
    let text = r#"{"steps":[{"actions":[{},{},{"type":1,"mediaIds":["x"]}]}]}"#;
    let read = fields::object(&json(text), |fields| {
        fields.list("steps", |fields| {
            fields.list("actions", |fields| (fields.text("type"), fields.uuids::<Uuid>("mediaIds")))
        })
    });
    assert_eq!(
        read.unwrap_err(),
        [
            fault("steps[0].actions[2].type", Expected::String),
            fault("steps[0].actions[2].mediaIds[0]", Expected::Uuid),
        ]
    );
}

/// Members are found at any position, and can be read twice.
#[test]
fn the_order_of_members_makes_no_difference() {
    let names = ["a", "b", "c", "d", "e"];
    for shift in 0..names.len() {
        let members: Vec<_> = (0..names.len())
            .map(|at| (at * 2 + shift) % names.len())
            .map(|at| format!(r#""{}":{at}"#, names[at]))
            .collect();
        let text = format!("{{{}}}", members.join(","));
        let read = fields::exact_object(&json(&text), |fields| {
            let found = names.map(|name| fields.integer(name));
            assert_eq!(names.map(|name| fields.integer(name)), found);
            assert_eq!(fields.integer("f"), None);
            found
        });
        assert_eq!(read.unwrap(), [Some(0), Some(1), Some(2), Some(3), Some(4)], "{text}");
    }
}

#[test]
fn all_faults_are_found_in_the_order_of_reading() {
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
    assert_eq!(
        fields::lenient_objects(&json("{}"), 9, 9, |_| ()).value.unwrap_err(),
        [fault("", Expected::Array)]
    );
}

#[test]
fn a_batch_is_a_list_of_objects() {
    let read =
        |text| fields::lenient_objects(&json(text), 2, 0, |fields| fields.text("email")).value;
    assert_eq!(read("[]").unwrap(), []);
    assert_eq!(read(r#"[{"email":"a"},{}]"#).unwrap(), [Some("a".to_owned()), None]);
    assert_eq!(
        read(r#"[{},1,{"email":2}]"#).unwrap_err(),
        [fault("[1]", Expected::Object), fault("[2].email", Expected::String)]
    );
    // Elements that are not kept are checked as well.
    assert_eq!(read(r#"[{},{"email":"b"},{"email":"c"}]"#).unwrap(), [None, Some("b".to_owned())]);
}

#[test]
fn members_that_are_not_read_are_ignored_or_listed() {
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
fn the_first_unknown_members_are_listed_with_their_paths() {
    let text = r#"{"z":1,"name":"a","steps":[{"id":1,"order":2},{"n":0,"é":0}],"y":{"a":1}}"#;
    let read = |fields: &mut fields::Fields<'_>| {
        fields.list("steps", |fields| fields.integer("order"));
        fields.text("name")
    };
    let all = ["steps[0].id", "steps[1].n", "steps[1].é", "z", "y"].map(str::to_owned).to_vec();
    for most in 0..=6 {
        let found = fields::lenient_object(&json(text), most, read);
        assert_eq!(found.value.unwrap().as_deref(), Some("a"));
        assert_eq!(found.unknown, all[..most.min(5)], "{most}");
    }
    let batch = format!("[{text},{{}},{text}]");
    let found = fields::lenient_objects(&json(&batch), 1, 7, read);
    assert_eq!(found.value.unwrap().len(), 1);
    let own = all.iter().map(|place| format!("[0].{place}"));
    let places: Vec<_> = own.chain(["[2].steps[0].id".into(), "[2].steps[1].n".into()]).collect();
    assert_eq!(found.unknown, places);
    // A type fault does not change the unknown members.
    let found = fields::lenient_object(&json(r#"{"z":1,"name":2}"#), 9, read);
    assert_eq!(found.value.unwrap_err(), [fault("name", Expected::String)]);
    assert_eq!(found.unknown, ["z"]);
}

#[test]
fn accepted_members_are_not_unknown() {
    let found = fields::lenient_object(&json(r#"{"id":1,"name":"a","ID":2}"#), 9, |fields| {
        fields.accept(&["id", "state"]);
        fields.text("name")
    });
    assert_eq!(found.unknown, ["ID"]);
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

#[test]
fn at_most_a_thousand_faults_are_reported() {
    let text = format!(r#"{{"tags":[1{}],"name":2}}"#, ",1".repeat(5_000));
    let found = fields::object(&json(&text), |fields| (fields.texts("tags"), fields.text("name")));
    let found = found.unwrap_err();
    assert_eq!(found.len(), patrol_domain::MAX_FAULTS);
    assert_eq!(found[999], fault("tags[999]", Expected::String));
}
