//! Invalid parameters.

use patrol_tests::{Answer, company::GUARD, escaped};

use super::{LIST, list, running};

/// One details entry for the parameter.
fn names(answer: &Answer, parameter: &str, what: &str) {
    let refusal = answer.refused(400, "input.data.invalid");
    let details = refusal.body["details"].as_array().unwrap_or_else(|| panic!("{what}: details"));
    assert_eq!(details.len(), 1, "{what}: {}", refusal.body);
    assert_eq!(details[0]["identifier"], parameter, "{what}: {}", refusal.body);
}

#[test]
fn a_value_that_does_not_fit_names_its_parameter() {
    let running = running();
    let (uuid_and_not, none) = (format!("in:{GUARD},x"), format!("in:{GUARD},"));
    let cases: &[(&str, &[&str])] = &[
        ("limit", &["abc", "-1", "2147483648", "1.5", "", "99999999999999999999", " 1", "1e3"]),
        ("offset", &["abc", "-1", "9223372036854775808", "", "0x10"]),
        (
            "sort",
            &["steps,asc", "assigneeIds", "tags", "name,up", "name,ASC,x", "", ",asc", "Name"],
        ),
        (
            "startAt",
            &[
                "in:2026-01-01T00:00:00Z",
                "like:2026",
                "nin:x",
                "gt:",
                "tomorrow",
                "gt:2026-13-01T00:00:00Z",
                "2026-01-01",
            ],
        ),
        ("endAt", &["like:2026", "lt:x", "gte:2026-01-01T00:00:00"]),
        ("name", &["gt:a", "gte:a", "lt:a", "lte:a", "in:", "nin:"]),
        (
            "priority",
            &[
                "URGENT",
                "normal",
                "like:NORMAL",
                "gt:MINOR",
                "in:",
                "in:NORMAL,URGENT",
                "eq:MINOR,MAJOR",
                "NORMAL,",
            ],
        ),
        ("state", &["DONE", "like:PEND", "lt:COMPLETED", "nin:", "pending"]),
        ("status", &["OK", "null", "gte:WARNING", "in:SUCCESS,OK"]),
        (
            "userId",
            &[
                "x",
                "like:0190",
                "gt:x",
                "in:",
                &uuid_and_not,
                &none,
                "0190a00000017000800000000000000f",
            ],
        ),
        ("locationId", &["1", "eq:1", "ne:", "lt:x"]),
        ("pointId", &["1", "like:1", "in:1"]),
        ("tags", &["like:fire", "gt:fire", "in:", "nin:"]),
        ("published", &["yes", "1", "in:true", "gt:false", "like:true", "nin:true"]),
        ("withDateIntersection", &["yes", "1", "eq:true"]),
        ("includeOpenTasks", &["no", "0", "ne:true"]),
    ];
    for (parameter, values) in cases {
        for value in *values {
            names(
                &list(&running, &[(parameter, value)]),
                parameter,
                &format!("{parameter}={value}"),
            );
        }
    }
}

#[test]
fn what_stands_once_must_not_be_repeated() {
    let running = running();
    for (parameter, value) in [
        ("limit", "1"),
        ("offset", "1"),
        ("q", "a"),
        ("withDateIntersection", "true"),
        ("includeOpenTasks", "true"),
    ] {
        let twice = [(parameter, value), ("state", "PENDING"), (parameter, value)];
        names(&list(&running, &twice), parameter, parameter);
    }
}

#[test]
fn every_parameter_that_does_not_fit_is_reported() {
    let running = running();
    let answer = list(&running, &[("limit", "x"), ("state", "DONE"), ("published", "maybe")]);
    let refusal = answer.refused(400, "input.data.invalid");
    let named: Vec<_> = refusal.body["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["identifier"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["limit", "state", "published"]);
}

#[test]
fn no_query_breaks_the_server() {
    let running = running();
    let long = format!("name={}", "ж".repeat(1500));
    for query in [
        "%",
        "name=%",
        "name=%ff",
        "name=%00",
        "q=%00",
        "tags=%00",
        "=",
        "&",
        "&&&",
        "=x",
        "sort",
        "name=%ed%a0%80",
        "limit=%D9%A1",
        "q=%27%3B--",
        "sort=name%00",
        "name=a&name",
        "q=%F0%9F",
        &long,
    ] {
        let answer = running.admin.get(&format!("{LIST}?{query}"));
        if answer.status == 200 {
            let _ = answer.ok();
        } else {
            let _ = answer.refused(400, "input.data.invalid");
        }
    }
    let many = "name=a&".repeat(2000);
    assert!(running.admin.get(&format!("{LIST}?{many}")).status < 500);
    let values: Vec<_> = (0..700).map(|n| escaped(&format!("t{n}"))).collect();
    let answer = running.admin.get(&format!("{LIST}?tags=in:{}", values.join(",")));
    assert_eq!(answer.ok()["meta"]["count"], 0);
}
