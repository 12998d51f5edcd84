//! Accepted and refused documents.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests too

use std::borrow::Cow;

use patrol_record::json::document::{Json, Malformed, parse};
use proptest::prelude::*;

fn refused(bytes: &[u8]) -> String {
    parse(bytes, 64).unwrap_err().to_string()
}

#[test]
fn values_of_every_kind_are_read() {
    let text = r#" {"a":[null,true,-3,9223372036854775808,2.5],"ключ":"\u00e9\ud83d\ude00\n"} "#;
    let json = parse(text.as_bytes(), 64).unwrap();
    let Some(Json::List(list)) = json.member("a") else { panic!("{json:?}") };
    assert_eq!(
        **list,
        [
            Json::Null,
            Json::Bool(true),
            Json::Integer(-3),
            Json::Number(9_223_372_036_854_775_808.0),
            Json::Number(2.5),
        ]
    );
    assert_eq!(json.member("ключ"), Some(&Json::Text("é😀\n".into())));
    assert_eq!(json.member("b"), None);
    assert_eq!(Json::Null.member("a"), None);
}

#[test]
fn malformed_documents_are_refused_with_the_position() {
    for (bytes, message) in [
        (&b""[..], "empty document"),
        (b" \n", "empty document"),
        (b"{\"a\":\"\xff\"}", "not UTF-8 at byte 6"),
        (b"\xef\xbb\xbf{}", "expected value at column 1"),
        (b"{\"a\":\"\xed\xa0\x80\"}", "not UTF-8 at byte 6"),
        (b"\"\xc3", "not UTF-8 at byte 1"),
        (b"{} {}", "trailing characters at column 4"),
        (b"1 2", "trailing characters at column 3"),
        (b"{}\0", "trailing characters at column 3"),
        (b"[]]", "trailing characters at column 3"),
        (b"[1,]", "trailing comma at column 4"),
        (b"{\"a\":1", "EOF while parsing an object at column 6"),
        (b"{\n\"a\":\n1e999}", "number out of range at column 5 of line 3 of the document"),
        (br#"["\ud800"]"#, "unexpected end of hex escape at column 9"),
        (br#"["\udc00"]"#, "lone leading surrogate in hex escape at column 8"),
        (br#"["\ud800\u0041"]"#, "lone leading surrogate in hex escape at column 14"),
        (b"NaN", "expected value at column 1"),
        (b"'a'", "expected value at column 1"),
        (b"[01]", "invalid number at column 3"),
        (
            b"[\"a\tb\"]",
            "control character (\\u0000-\\u001F) found while parsing a string at column 4",
        ),
    ] {
        assert_eq!(refused(bytes), message, "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn positions_count_lines_and_characters() {
    for (bytes, line, column) in [
        (&b""[..], 1, 1),
        (b"\n ", 2, 2),
        (b"{\"a\":}", 1, 6),
        (b"[1,]", 1, 4),
        (b"{\n  \"a\": 1,\n  \"b\" 2\n}", 3, 7),
        (b"{\r\n\"a\"\r\n}", 3, 1),
        ("{\"имя\": \"Порт\" x}".as_bytes(), 1, 16),
        (b"{\"a\":1", 1, 6),
        (b"[\n1,\n\"\xff\"]", 3, 2),
        (b"{\"a\":1,\n\"a\":2}", 2, 3),
    ] {
        let place = parse(bytes, 64).unwrap_err().place();
        let text = String::from_utf8_lossy(bytes);
        assert_eq!((place.line, place.column), (line, column), "{text:?}");
    }
}

#[test]
fn messages_and_debug_output_contain_no_values() {
    let message = refused(br#"{"password":"hunter2","password":"hunter2"}"#);
    assert_eq!(message, "duplicate member in an object at column 32");
    let document = parse(br#"{"password":"hunter2"}"#, 64).unwrap();
    assert_eq!(
        format!("{document:?} {:?}", document.member("password")),
        "Object of 1 Some(Text of 7 bytes)"
    );
}

#[test]
fn duplicate_members_are_refused_at_any_depth_and_in_any_spelling() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"unknown":[{"deep":{"b":null,"c":0,"b":null}}]}"#,
        r#"{"":1,"":2}"#,
    ] {
        assert!(refused(text.as_bytes()).starts_with("duplicate member"), "{text}");
        assert!(parse(text.as_bytes(), 64).unwrap_err().repeats_member(), "{text}");
    }
    for text in ["", "{", "{} {}", r#"{"a":[[]]}"#, r#""duplicate member in an object"#] {
        assert!(!parse(text.as_bytes(), 2).unwrap_err().repeats_member(), "{text}");
    }
    for text in [r#"{"a":{"a":{"a":1}}}"#, r#"[{"a":1},{"a":1}]"#, r#"{"a":1,"A":1}"#] {
        assert!(parse(text.as_bytes(), 64).is_ok(), "{text}");
    }
}

/// Small and large objects are checked in different ways.
#[test]
fn duplicate_members_are_found_in_objects_of_any_size() {
    for members in 2..70 {
        let object = |second: usize, name: usize| {
            let names = (0..members).map(|at| if at == second { name } else { at });
            let members: Vec<_> = names.map(|name| format!("\"m{name}\":{{}}")).collect();
            format!("[{{{}}}]", members.join(","))
        };
        assert!(parse(object(0, 0).as_bytes(), 64).is_ok(), "{members}");
        for (first, second) in [(0, 1), (0, members - 1), (members - 2, members - 1)] {
            let message = refused(object(second, first).as_bytes());
            assert!(message.starts_with("duplicate member"), "{members} {first} {second}");
        }
    }
}

/// The type and value of numbers without fraction, up to the limits of 64 bits and beyond.
#[test]
fn numbers_are_exact_rounded_or_refused() {
    fn number(text: &str) -> Result<Json<'_>, Malformed> {
        parse(text.as_bytes(), 64)
    }
    for (text, integer) in
        [("9223372036854775807", i64::MAX), ("-9223372036854775808", i64::MIN), ("0", 0)]
    {
        assert_eq!(number(text), Ok(Json::Integer(integer)));
        assert_eq!(Json::Integer(integer).to_text(), text);
    }
    for (text, float) in [
        ("9223372036854775808", 9_223_372_036_854_775_808.0),
        ("-9223372036854775809", -9_223_372_036_854_775_808.0),
        ("18446744073709551615", 18_446_744_073_709_551_616.0),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ("1e2", 100.0),
        ("2.0", 2.0),
        ("0.1", 0.1),
        ("1.7976931348623157e308", f64::MAX),
        ("5e-324", 5e-324),
        ("1e-999", 0.0),
        ("1e-99999999999999999999", 0.0),
        ("0e99999999999999999999", 0.0),
    ] {
        assert_eq!(number(text), Ok(Json::Number(float)), "{text}");
    }
    let digits = "9".repeat(400);
    for text in ["1e999", "-1e999", "1.8e308", "1e99999999999999999999", &digits] {
        let message = refused(format!("[{{\"unknown\":{text}}}]").as_bytes());
        assert!(message.starts_with("number out of range"), "{text}: {message}");
    }
    for text in ["1.", ".5", "+1", "-", "1e", "0x1", "1_0", "00", "Infinity"] {
        assert!(number(text).is_err(), "{text}");
    }
}

/// A value takes 24 bytes, a member 48, without spare capacity.
#[test]
fn memory_is_proportional_to_the_document() {
    assert!(size_of::<Json<'_>>() <= 24);
    let many = format!("[{}0]", "0,".repeat(1_000_000));
    let json = parse(many.as_bytes(), 64).unwrap();
    let Json::List(elements) = &json else { panic!("{json:?}") };
    assert_eq!(elements.len(), 1_000_001);
    // Text without escapes is not copied.
    let text = r#"{"name":"text"}"#;
    let json = parse(text.as_bytes(), 64).unwrap();
    let Some(Json::Text(Cow::Borrowed(borrowed))) = json.member("name") else { panic!("{json:?}") };
    assert!(text.as_bytes().as_ptr_range().contains(&borrowed.as_ptr()));
}

/// Half a million members: comparing each pair would take minutes.
#[test]
fn a_huge_object_is_checked_quickly() {
    let mut text = String::from("{");
    for at in 0..500_000 {
        text.push_str(&format!("\"{at}\":0,"));
    }
    let unique = format!("{text}\"last\":0}}");
    let twice = format!("{text}\"250000\":0}}");
    assert!(parse(unique.as_bytes(), 64).is_ok());
    assert!(refused(twice.as_bytes()).starts_with("duplicate member"));
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(64).as_bytes(), 64).is_ok());
    assert_eq!(refused(nested(65).as_bytes()), "nested too deeply at column 66");
    assert!(parse(b"1", 0).is_ok());
    assert!(parse(b"{}", 0).is_err());
    // Siblings do not add to the depth; unknown members count.
    let wide = format!("[{}1]", "[[]],".repeat(1_000));
    assert!(parse(wide.as_bytes(), 3).is_ok());
    assert!(parse(wide.as_bytes(), 2).is_err());
    let unknown = |depth: usize| format!(r#"{{"unknown":[{}]}}"#, nested(depth));
    assert!(parse(unknown(62).as_bytes(), 64).is_ok());
    assert!(parse(unknown(63).as_bytes(), 64).is_err());
    assert!(parse(nested(127).as_bytes(), usize::MAX).is_ok());
    assert!(parse(nested(128).as_bytes(), usize::MAX).is_err());
    let objects = r#"{"a":"#.repeat(65) + "1" + &"}".repeat(65);
    assert!(refused(objects.as_bytes()).starts_with("nested too deeply"));
}

/// The limit is set too high, and the body is made to exhaust the stack.
#[test]
fn no_limit_lets_a_document_exhaust_the_stack() {
    for open in ["[", r#"{"a":"#, r#"[{"a":"#] {
        let open = open.repeat(1_000_000);
        assert!(parse(open.as_bytes(), usize::MAX).is_err());
        assert!(parse(open.as_bytes(), 64).is_err());
    }
    let nested = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    assert!(parse(nested.as_bytes(), usize::MAX).is_err());
}

fn document() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        prop::num::f64::NORMAL
            .prop_filter("whole ones are written as integers", |value| {
                value.fract() != 0.0 || value.abs() >= 1e16
            })
            .prop_map(|value| serde_json::json!(value)),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 40, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map(any::<String>(), inner, 0..40)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// Accepts and refuses the same documents as serde_json, with the same values, except for repeated
/// members.
fn agrees_with_serde_json(bytes: &[u8]) -> Result<(), TestCaseError> {
    match (parse(bytes, 64), serde_json::from_slice::<serde_json::Value>(bytes)) {
        (Ok(ours), Ok(theirs)) => {
            let written: serde_json::Value = serde_json::from_str(&ours.to_text()).unwrap();
            prop_assert_eq!(plain(written), plain(theirs));
        }
        (Err(ours), Ok(_)) => {
            prop_assert!(ours.to_string().starts_with("duplicate member"), "{ours}");
        }
        (ours, Err(_)) => prop_assert!(ours.is_err()),
    }
    Ok(())
}

/// Turns every number into a float: `2.0` is written as `2`.
fn plain(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        // −0 is written as 0.
        Value::Number(number) => (number.as_f64().unwrap() + 0.0).into(),
        Value::Array(elements) => elements.into_iter().map(plain).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, plain(value))).collect()
        }
        other => other,
    }
}

proptest! {
    #[test]
    fn parsing_any_bytes_does_not_panic(bytes: Vec<u8>) {
        if let Ok(json) = parse(&bytes, 64) {
            prop_assert!(!json.to_text().is_empty());
        }
    }

    #[test]
    fn nearly_valid_json_is_judged_as_by_serde_json(text in r#"[\[\]{},:"\\u0aeE+.\-d8cntf ]{0,60}"#) {
        agrees_with_serde_json(text.as_bytes())?;
    }

    #[test]
    fn documents_with_changed_bytes_are_judged_as_by_serde_json(
        value in document(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = value.to_string().into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        agrees_with_serde_json(&bytes)?;
    }

    #[test]
    fn surrounding_white_space_is_ignored(
        value in document(),
        before in "[ \t\r\n]{0,3}",
        after in "[ \t\r\n]{0,3}",
    ) {
        let text = value.to_string();
        let padded = format!("{before}{text}{after}");
        prop_assert_eq!(parse(padded.as_bytes(), 64), parse(text.as_bytes(), 64));
    }

    #[test]
    fn a_duplicate_member_is_found_at_any_depth(value in document(), depth in 0_usize..20) {
        let inner = format!(r#"{{"a":{value},"b":0,"\u0061":{value}}}"#);
        let text = r#"[{"x":0,"y":"#.repeat(depth) + &inner + &"}]".repeat(depth);
        let message = refused(text.as_bytes());
        prop_assert!(message.starts_with("duplicate member"), "{message}");
    }

    #[test]
    fn a_written_document_is_parsed_back(value in document()) {
        let text = value.to_string();
        let json = parse(text.as_bytes(), 64).unwrap();
        let written = json.to_text();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), value);
        prop_assert_eq!(parse(written.as_bytes(), 64).unwrap(), json);
    }
}
