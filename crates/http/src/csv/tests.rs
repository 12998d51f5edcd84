//! Records as CSV.

use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};

use super::*;

/// A record with values of all kinds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Sample {
    id: u64,
    first_name: Option<String>,
    tags: Vec<String>,
    #[schema(value_type = f64)]
    share: Box<RawValue>,
    #[schema(value_type = Vec<Value>)]
    places: Value,
    active: bool,
}

fn sample(name: Option<&str>, tags: &[&str]) -> Sample {
    Sample {
        id: 7,
        first_name: name.map(str::to_owned),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        share: RawValue::from_string("1e300".to_owned()).unwrap(),
        places: json!([]),
        active: true,
    }
}

fn written(records: &[Sample]) -> String {
    let mut out = Vec::new();
    let mut rows = CsvRows::begin::<Sample>(&mut out).unwrap();
    // In two parts, as a list arrives.
    let (first, rest) = records.split_at(records.len().min(1));
    rows.write(first.iter(), &mut out).unwrap();
    rows.write(rest.iter(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const HEADER: &str = "id,firstName,tags,share,places,active\r\n";

/// The cell of a name, as a reader sees it.
fn read_name(name: &str) -> String {
    let text = written(&[sample(Some(name), &[])]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().next().unwrap().unwrap()[1].to_owned()
}

#[test]
fn the_header_has_the_members_in_the_order_of_the_api() {
    assert_eq!(written(&[]), HEADER);
    let rows = written(&[sample(Some("Greta"), &["night", "first-aid"]), sample(None, &[])]);
    assert_eq!(rows, format!("{HEADER}7,Greta,night;first-aid,1e300,,true\r\n7,,,1e300,,true\r\n"));
}

#[test]
fn objects_and_lists_of_objects_are_json() {
    let places = json!([{"id": "a", "x": 0.5, "name": "=1;\"\n"}, {}]);
    let record = Sample { places, ..sample(None, &[]) };
    assert_eq!(
        written(&[record]),
        format!(
            "{HEADER}7,,,1e300,\"[{{\"\"id\"\":\"\"a\"\",\"\"x\"\":0.5,\"\"name\"\":\
             \"\"=1;\\\"\"\\n\"\"}},{{}}]\",true\r\n"
        )
    );
    let record = Sample { places: json!({"a": null}), ..sample(None, &[]) };
    assert!(written(&[record]).contains("\"{\"\"a\"\":null}\""));
}

#[test]
fn hostile_texts_stay_texts() {
    for name in ["=1+1", "+49 30", "-1", "@A1", "\tx", "\rx", "=\"a\",\r\n"] {
        assert_eq!(read_name(name), format!("'{name}"));
    }
    for name in [
        "a=1",
        "\"",
        "\"\"a",
        "a,b",
        "a;b",
        "line\nbreak",
        "line\r\nbreak",
        "\u{202e}עברית",
        "\u{feff}x",
        " spaces ",
        "'=x",
        "\\",
        "\u{1}",
        "Порт",
    ] {
        assert_eq!(read_name(name), name);
    }
    let tags = written(&[sample(None, &["=a", "b", "@c"])]);
    assert!(tags.contains(",'=a;b;'@c,"), "{tags}");
}

#[test]
fn a_record_with_other_members_is_an_error() {
    #[derive(Serialize)]
    struct Other {
        name: u8,
    }
    let mut out = Vec::new();
    let mut rows = CsvRows::begin::<Sample>(&mut out).unwrap();
    assert!(rows.write([Other { name: 1 }].iter(), &mut out).is_err());
    assert!(rows.write([1_u8].iter(), &mut out).is_err());
}

/// The cell that a JSON value has.
fn expected(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.starts_with(FORMULA) => format!("'{text}"),
        Value::String(text) => text.clone(),
        Value::Array(elements) => elements.iter().map(expected).collect::<Vec<_>>().join(";"),
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn a_reader_gets_the_values_of_the_json(
        id: u64,
        names in prop::collection::vec(prop::option::of(prop_oneof![
            any::<String>(),
            "[=+@\t\r\n\",;' a-]{0,4}",
        ]), 0..4),
        tags in prop::collection::vec("[=\"\r\n,а-]{1,3}", 0..4),
        active: bool,
    ) {
        let records: Vec<_> = names
            .into_iter()
            .map(|first_name| Sample { id, first_name, tags: tags.clone(), active, ..sample(None, &[]) })
            .collect();
        let text = written(&records);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let read: Vec<Vec<String>> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read.len(), records.len() + 1);
        for (row, record) in read.iter().skip(1).zip(&records) {
            let json = serde_json::to_value(record).unwrap();
            let members = json.as_object().unwrap();
            for ((cell, column), (name, value)) in row.iter().zip(&read[0]).zip(members) {
                prop_assert_eq!(column, name);
                if name != "share" {
                    prop_assert_eq!(cell, &expected(value));
                }
            }
        }
    }
}
