//! Random queries and bodies: every response conforms to the API description and is never a 5xx.
//! `PROPTEST_CASES` sets how many of each kind are tried.

use patrol_tests::{
    Answer, Description, Running, check_times, company, escaped, execution_id, planned, with,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

/// Why the response to `method` on a path of the form `template` is not documented; `None` when it
/// is. Documented are a success that fits its schema, and an error of the client.
fn undocumented(
    description: Description<'_>,
    (method, template): (&str, &str),
    answer: &Answer,
) -> Option<String> {
    let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else {
        return Some("the body is not JSON".to_owned());
    };
    let operation = &description.0["paths"][template][method.to_lowercase()];
    let responses = operation["responses"].as_object().expect("a described operation");
    let Some(response) = responses.get(&answer.status.to_string()) else {
        return Some(format!("the status {} is not described", answer.status));
    };
    let schema = &description.resolve(response)["content"]["application/json"]["schema"];
    check_times(&body);
    let differences = description.differences(schema, &body);
    if !differences.is_empty() {
        return Some(format!("{differences:?}"));
    }
    let code = body["code"].as_str().unwrap_or_default();
    let known = matches!(
        (answer.status, code),
        (200 | 201, "")
            | (400, "input.data.invalid" | "validation.failed" | "multiple.resources.not.allowed")
            | (404, "not.found")
            | (406, "not.acceptable")
    );
    (!known).then(|| format!("{} with the code {code}", answer.status))
}

/// A runner that prints the seed of a failing case, and tries that seed first the next time.
fn runner() -> TestRunner {
    TestRunner::new(Config::with_source_file(file!()))
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        select(
            &[
                "limit",
                "offset",
                "sort",
                "q",
                "startAt",
                "endAt",
                "name",
                "priority",
                "userId",
                "state",
                "locationId",
                "pointId",
                "withDateIntersection",
                "includeOpenTasks",
                "tags",
                "status",
                "published",
                "address",
                "withGraphicPlan",
                "type",
                "historyId",
                "VIRTUAL",
                "eq:",
                "ne:",
                "in:",
                "nin:",
                "like:",
                "gt:",
                "gte:",
                "lt:",
                "lte:",
                ",",
                ":",
                "true",
                "false",
                "asc",
                "desc",
                "id",
                "PENDING",
                "ERROR",
                "NORMAL",
                "2026-01-31T08:00:00Z",
                company::GUARD,
                "0",
                "1",
                "2147483647",
                "-1",
                "%",
                "_",
                "\\",
                "'",
                "\"",
                "\u{0}",
                "ж",
                "İ",
                "ß",
                "\u{301}",
                "😀",
                "*",
                "(",
                "NEAR",
            ][..]
        )
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = String> {
    vec(word(), 0..4).prop_map(|words| words.concat())
}

/// The lists; each has three items in the store of the test.
const LISTS: [&str; 3] = ["/task-executions/info", "/locations", "/locations/points/history"];

#[test]
fn no_query_of_a_list_is_answered_otherwise_than_documented() {
    let running = Running::with((1..=3).map(planned));
    let document = running.server.api().outside("/openapi.json").ok();
    let parameters = vec((word(), value()), 0..5);
    runner()
        .run(&(select(&LISTS[..]), parameters), |(list, parameters)| {
            let query: Vec<_> = parameters
                .iter()
                .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
                .collect();
            let path = format!("{list}?{}", query.join("&"));
            let answer = running.admin.get(&path);
            let fault = undocumented(Description(&document), ("GET", list), &answer);
            prop_assert!(fault.is_none(), "{path}: {fault:?}: {answer:?}");
            if answer.status == 200 {
                let body = answer.ok();
                let count = body["meta"]["count"].as_u64().unwrap_or(u64::MAX);
                let shown = body["data"].as_array().map_or(u64::MAX, |data| data.len() as u64);
                prop_assert!(shown <= count && count <= 3, "{path}: {body}");
            }
            Ok(())
        })
        .unwrap();
}

/// Any JSON value.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        value().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((word(), inner), 0..3).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// The members that a body may have, at every depth.
const MEMBERS: [&str; 35] = [
    "assigneeIds",
    "locationId",
    "name",
    "description",
    "startAt",
    "endAt",
    "priority",
    "orderStepsRequired",
    "strictTimeRequired",
    "deadlined",
    "tags",
    "steps",
    "published",
    "seriesId",
    "taskIds",
    "id",
    "pointId",
    "order",
    "actions",
    "firstName",
    "middleName",
    "lastName",
    "employeeNo",
    "employeePin",
    "email",
    "phone",
    "language",
    "role",
    "locationIds",
    "type",
    "latitude",
    "longitude",
    "graphicPlans",
    "rfidCode",
    "qrCode",
];

/// A valid body in which some members, or those of its first step, have random values.
fn body() -> impl Strategy<Value = Value> {
    let changes = || vec((select(&MEMBERS[..]), json_value()), 0..3);
    (changes(), changes()).prop_map(|(outer, inner)| {
        let step: Value = [("name".to_owned(), json!("s"))]
            .into_iter()
            .chain(inner.into_iter().map(|(name, value)| (name.to_owned(), value)))
            .collect();
        let mut body = json!({
            "name": "x", "locationId": company::PORT, "startAt": "2026-01-01T00:00:00Z",
            "endAt": "2026-01-01T00:00:00Z", "steps": [step], "taskIds": [execution_id(1)],
            "seriesId": patrol_tests::series_of(1), "type": "TEXT",
        });
        for (name, value) in outer {
            body[name] = value;
        }
        body
    })
}

/// Method, described path, and id for operations with a JSON body, on execution 1 or on records of
/// the company.
fn operation() -> impl Strategy<Value = (&'static str, &'static str, String)> {
    let execution = || execution_id(1);
    select(vec![
        ("PUT", "/task-executions/{id}", execution()),
        ("PATCH", "/task-executions/{id}", execution()),
        ("PUT", "/task-executions/{id}/series", execution()),
        ("POST", "/task-executions/{id}/copy", execution()),
        ("PATCH", "/users/{id}", company::GUARD.to_owned()),
        ("POST", "/users/batch", String::new()),
        ("POST", "/locations/points", String::new()),
        ("PUT", "/locations/points/{id}", company::GATE.to_owned()),
        ("PUT", "/check-lists/actions/{id}", company::LOCKED.to_owned()),
    ])
}

#[test]
fn no_body_is_answered_otherwise_than_documented() {
    let running = Running::with((1..=3).map(planned));
    let document = running.server.api().outside("/openapi.json").ok();
    runner()
        .run(&(operation(), body()), |((method, template, id), mut body)| {
            match template {
                "/users/batch" => body = json!([with(body, json!({ "id": company::GUARD }))]),
                "/locations/points" => body["type"] = json!("QR"),
                _ => {}
            }
            let path = template.replace("{id}", &id);
            let answer = running.admin.text(method, &path, body.to_string());
            let fault = undocumented(Description(&document), (method, template), &answer);
            prop_assert!(fault.is_none(), "{method} {path} {body}: {fault:?}: {answer:?}");
            prop_assert_eq!(
                running.admin.get(&format!("/task-executions/{}", execution_id(1))).status,
                200
            );
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_damaged_body_is_answered_otherwise_than_documented() {
    let running = Running::with((1..=3).map(planned));
    let document = running.server.api().outside("/openapi.json").ok();
    let whole = running.read(1).to_string().into_bytes();
    let damage = vec((0..whole.len(), any::<u8>(), 0..3_u8), 1..4);
    runner()
        .run(&(operation(), damage), |((method, template, id), damage)| {
            let mut body = whole.clone();
            for (at, byte, how) in damage {
                let at = at.min(body.len() - 1);
                match how {
                    0 => body[at] = byte,
                    1 => body.insert(at, byte),
                    _ => drop(body.remove(at)),
                }
            }
            let path = template.replace("{id}", &id);
            let answer = running.admin.text(method, &path, &body);
            let shown = String::from_utf8_lossy(&body);
            let fault = undocumented(Description(&document), (method, template), &answer);
            prop_assert!(fault.is_none(), "{method} {path} {shown}: {fault:?}: {answer:?}");
            Ok(())
        })
        .unwrap();
}
