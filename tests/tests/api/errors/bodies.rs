//! Bodies that are not JSON, or not the expected JSON.

use patrol_tests::{detail, execution_id};
use serde_json::json;

use super::{all_operations, check_untouched, operations, running};

/// `depth` nested arrays as an unknown member: the total nesting is one deeper.
fn nested(depth: usize) -> String {
    format!("{{\"unknown\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
}

/// All kinds of malformed JSON, as `docs/api/errors.md` lists them.
fn malformed() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "[",
        "nul",
        "tru",
        "\"",
        "{\"name\"",
        "{\"name\":",
        "{\"name\":}",
        "{\"name\":\"x\"",
        "{\"name\":\"x\",",
        "{\"name\":\"x\",}",
        "{,}",
        "{name:1}",
        "{'name':1}",
        "{1:1}",
        "{\"name\" \"x\"}",
        "[1,",
        "[1,]",
        "[,]",
        "{\"x\":[1 2]}",
        // Content after the value.
        "{}x",
        "{}{}",
        "{} 1",
        "{},",
        "{}\u{0}",
        "1 2",
        // Numbers.
        "{\"x\":01}",
        "{\"x\":+1}",
        "{\"x\":.5}",
        "{\"x\":1.}",
        "{\"x\":1e}",
        "{\"x\":NaN}",
        "{\"x\":Infinity}",
        "{\"x\":-}",
        "{\"x\":0x10}",
        "{\"x\":1e999}",
        "{\"x\":-1e999}",
        "{\"x\":[1e400]}",
        "{\"name\":1e999}",
        "{\"steps\":[{\"order\":1e309}]}",
        // Text.
        "{\"x\":\"\\x41\"}",
        "{\"x\":\"\\u12\"}",
        "{\"x\":\"\n\"}",
        "{\"x\":\"\t\"}",
        "{\"x\":\"\u{0}\"}",
        "{\"x\":\"\\ud800\"}",
        "{\"x\":\"\\udc00\"}",
        "{\"x\":\"\\ud800x\"}",
        "{\"x\":\"\\udc00\\ud800\"}",
        "{\"x\":\"\\ud800\\ud800\"}",
        "{\"name\":\"a\\ud83d\"}",
        "{\"\\ud800\":1}",
        // Comments.
        "{/* */}",
        "{}//",
        "#\n{}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    for bytes in [
        &b"\xff\xfe{}"[..],
        b"{\"x\":\"\xff\"}",
        b"{\"x\":\"\xc3\"}",
        b"{\"x\":\"\xed\xa0\x80\"}",
        b"{\"x\":\"\xc0\x80\"}",
        b"{\"\xff\":1}",
        b"{\"x\":\"\xf4\x90\x80\x80\"}",
        b"\x1f\x8b\x08\x00",
        b"{\0\"\0a\0",
    ] {
        all.push(bytes.to_vec());
    }
    all.push(nested(65).into_bytes());
    all.push(nested(100_000).into_bytes());
    all.push("[".repeat(200_000).into_bytes());
    all.push("{\"a\":".repeat(100_000).into_bytes());
    all.push(format!("{{\"x\":1{}}}", "0".repeat(400)).into_bytes());
    all
}

/// JSON with a member that occurs twice, at different places.
const REPEATED: [&str; 6] = [
    "{\"name\":\"x\",\"name\":\"x\"}",
    "{\"name\":\"x\",\"n\\u0061me\":\"y\"}",
    "{\"unknown\":1,\"unknown\":1}",
    "{\"unknown\":{\"a\":1,\"b\":{},\"a\":1}}",
    "{\"steps\":[{\"name\":\"s\",\"name\":\"s\"}]}",
    "{\"unknown\":[[{\"\":1,\"\":1}]]}",
];

#[test]
fn a_member_that_stands_twice_is_invalid_input_everywhere() {
    let running = running();
    let before = running.exported();
    for operation in all_operations() {
        for body in REPEATED {
            operation.send(&running, body).misunderstood(&[]);
            operation.send(&running, format!("[{body}]")).misunderstood(&[]);
        }
    }
    assert_eq!(running.exported(), before);
}

#[test]
fn what_is_malformed_is_refused_with_its_place() {
    let running = running();
    let before = running.exported();
    for operation in all_operations() {
        let (method, path) = (operation.method, &operation.path);
        for body in malformed() {
            let answer = operation.send(&running, &body);
            let shown: String = String::from_utf8_lossy(&body).chars().take(60).collect();
            let (status, code) = operation.malformed;
            assert_eq!(answer.status, status, "{method} {path} {shown}: {}", answer.text());
            answer.refused(status, code).shows_a_place();
        }
    }
    assert_eq!(running.exported(), before);
    check_untouched(&running);
}

#[test]
fn the_place_is_a_line_and_a_character() {
    let running = running();
    let (method, path) = &operations()[0];
    for (body, line, column) in [
        ("{\n  \"name\": \"Порт\",\n  \"ж\": 1 \"endAt\": 2\n}", "3", "10"),
        ("{\"name\":}", "1", "9"),
        ("", "1", "1"),
    ] {
        let place = detail("json.malformed", "", &[line, column]);
        running.admin.text(method, path, body).misunderstood(&[place]);
    }
    let path = format!("/check-lists/actions/{}", patrol_tests::company::LOCKED);
    let answer = running.admin.text("PUT", &path, "{\n}}");
    answer.refused(406, "not.acceptable").shows(&[detail("json.malformed", "", &["2", "2"])]);
    check_untouched(&running);
}

#[test]
fn a_body_that_breaks_off_anywhere_is_malformed() {
    let running = running();
    let whole = running.read(1).to_string();
    let (method, path) = &operations()[0];
    for end in (0..whole.len()).step_by(7).filter(|end| whole.is_char_boundary(*end)) {
        let answer = running.admin.text(method, path, &whole[..end]);
        answer.refused(400, "input.data.invalid").shows_a_place();
    }
    check_untouched(&running);
    let _ = running.admin.text(method, path, &whole).ok();
}

#[test]
fn a_body_of_another_type_has_a_detail_without_a_name() {
    let running = running();
    for operation in all_operations() {
        let wrong = [detail("data.type.invalid", "", &[operation.body])];
        for body in ["1", "\"x\"", "true", "null", "-1.5e3", " null "] {
            operation.send(&running, body).misunderstood(&wrong);
        }
    }
    // PUT and PATCH of an execution treat an array as several resources.
    for operation in &all_operations()[2..] {
        let wrong = [detail("data.type.invalid", "", &[operation.body])];
        let others = if operation.body == "ARRAY" { ["{}", "{\"x\":[]}"] } else { ["[]", "[{}]"] };
        for body in others {
            operation.send(&running, body).misunderstood(&wrong);
        }
    }
    check_untouched(&running);
}

#[test]
fn what_is_strange_but_json_passes() {
    let running = running();
    let path = format!("/task-executions/{}", execution_id(1));
    let wide = format!("{{\"unknown\":[{}0]}}", "0,".repeat(100_000));
    for body in [
        " \t\r\n{ } \n",
        "{\"\":1,\" \":2}",
        &nested(64),
        "{\"x\":1e308,\"y\":-1e308,\"z\":1e-999,\"w\":-0}",
        &format!("{{\"x\":1{}}}", "0".repeat(300)),
        &format!("{{\"x\":0.{}1}}", "0".repeat(5000)),
        "{\"x\":\"\\ud83d\\ude00\\u0000\\/\"}",
        "{\"a\":{\"name\":1},\"b\":{\"name\":1}}",
        &wide,
    ] {
        let answer = running.admin.text("PATCH", &path, body);
        let shown: String = body.chars().take(60).collect();
        assert_eq!(answer.status, 200, "{shown}: {}", answer.text());
    }
    let escaped = "{\"n\\u0061me\":\"\\ud83d\\ude00 \\\"\\\\\"}";
    assert_eq!(running.admin.text("PATCH", &path, escaped).ok()["name"], "😀 \"\\");
}

#[test]
fn the_character_zero_is_refused_wherever_text_is_kept() {
    let running = running();
    let zero = |identifier: &str| detail("validation.characters.failed", identifier, &[]);
    let body = json!({
        "name": "a\u{0}", "description": "\u{0}", "locationId": patrol_tests::company::PORT,
        "startAt": "2026-01-01T00:00:00Z", "endAt": "2026-01-01T00:00:00Z", "tags": ["\u{0}x"],
        "steps": [{ "name": "\u{0}", "actions": [{ "name": "x\u{0}y", "type": "TEXT" }] }],
    });
    let (method, path) = &operations()[0];
    assert_eq!(*method, "PUT");
    running.admin.put(path, &body).invalid(&[
        zero("name"),
        zero("description"),
        zero("tags[0]"),
        zero("steps[0].name"),
        zero("steps[0].actions[0].name"),
    ]);
    check_untouched(&running);
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let running = running();
    let (_, path) = &operations()[0];
    for order in ["99999999999999999999", "1e300", "2147483648", "-9223372036854775809", "0.5"] {
        let body = format!(
            "{{\"name\":\"x\",\"locationId\":\"{}\",\"startAt\":\"2026-01-01T00:00:00Z\",\
             \"endAt\":\"2026-01-01T00:00:00Z\",\"steps\":[{{\"name\":\"s\",\"order\":{order}}}]}}",
            patrol_tests::company::PORT,
        );
        let answer = running.admin.text("PUT", path, body);
        assert_eq!(answer.status, 400, "{order}: {}", answer.text());
        let error: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(error["details"][0]["identifier"], "steps[0].order", "{order}");
    }
    check_untouched(&running);
}
