//! What is a document and what is not.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests too

use patrol_json::document::{Json, parse};
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
fn what_is_no_document_is_refused_with_its_place() {
    for (bytes, message) in [
        (&b""[..], "nothing there"),
        (b" \n", "nothing there"),
        (b"{\"a\":\"\xff\"}", "not UTF-8 at byte 6"),
        (b"\xef\xbb\xbf{}", "expected value at column 1"),
        (b"{} {}", "trailing characters at column 4"),
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
fn neither_a_message_nor_debug_output_carries_a_value() {
    let message = refused(br#"{"password":"hunter2","password":"hunter2"}"#);
    assert_eq!(message, "a member stands twice in an object at column 32");
    let document = parse(br#"{"password":"hunter2"}"#, 64).unwrap();
    assert_eq!(
        format!("{document:?} {:?}", document.member("password")),
        "Object of 1 Some(Text of 7 bytes)"
    );
}

#[test]
fn a_member_stands_once_at_any_depth_and_however_it_is_spelled() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"unknown":[{"deep":{"b":null,"c":0,"b":null}}]}"#,
        r#"{"":1,"":2}"#,
    ] {
        assert!(refused(text.as_bytes()).starts_with("a member stands twice"), "{text}");
    }
    for text in [r#"{"a":{"a":{"a":1}}}"#, r#"[{"a":1},{"a":1}]"#, r#"{"a":1,"A":1}"#] {
        assert!(parse(text.as_bytes(), 64).is_ok(), "{text}");
    }
}

/// Half a million members: comparing each with each would take minutes.
#[test]
fn a_huge_object_is_checked_in_no_time() {
    let mut text = String::from("{");
    for at in 0..500_000 {
        text.push_str(&format!("\"{at}\":0,"));
    }
    let unique = format!("{text}\"last\":0}}");
    let twice = format!("{text}\"250000\":0}}");
    assert!(parse(unique.as_bytes(), 64).is_ok());
    assert!(refused(twice.as_bytes()).starts_with("a member stands twice"));
}

#[test]
fn nesting_ends_at_the_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(64).as_bytes(), 64).is_ok());
    assert_eq!(refused(nested(65).as_bytes()), "nested too deep at column 66");
    assert!(parse(b"1", 0).is_ok());
    assert!(parse(b"{}", 0).is_err());
    let objects = r#"{"a":"#.repeat(65) + "1" + &"}".repeat(65);
    assert!(refused(objects.as_bytes()).starts_with("nested too deep"));
}

/// A limit that is set too high, and a body made to exhaust the stack.
#[test]
fn no_limit_lets_a_document_exhaust_the_stack() {
    for open in ["[", r#"{"a":"#] {
        assert!(parse(open.repeat(1_000_000).as_bytes(), usize::MAX).is_err());
    }
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

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        if let Ok(json) = parse(&bytes, 64) {
            prop_assert!(!json.to_text().is_empty());
        }
    }

    #[test]
    fn nothing_that_looks_like_json_makes_it_panic(text in r#"[\[\]{},:"\\u0aeE+.\-d8cntf ]{0,60}"#) {
        let ours = parse(text.as_bytes(), 64);
        if serde_json::from_str::<serde_json::Value>(&text).is_err() {
            prop_assert!(ours.is_err());
        }
    }

    #[test]
    fn agrees_with_serde_json_and_what_is_written_is_read_again(value in document()) {
        let text = value.to_string();
        let json = parse(text.as_bytes(), 64).unwrap();
        let written = json.to_text();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), value);
        prop_assert_eq!(parse(written.as_bytes(), 64).unwrap(), json);
    }
}
