//! Invalid parameters.

use patrol_tests::detail;

use super::{LIST, list, running};

#[test]
fn a_value_that_does_not_fit_names_its_parameter() {
    let running = running();
    let cases: &[(&str, &[&str])] = &[
        ("limit", &["abc", "-1", "2147483648", ""]),
        ("offset", &["abc", "-1", "9223372036854775808", "1.5"]),
        ("sort", &["tags", "graphicPlanIds", "startAt", "name,up", "", "Name", "withGraphicPlan"]),
        ("name", &["gt:a", "lte:a", "in:", "nin:"]),
        ("address", &["lt:a", "gte:a", "in:"]),
        ("withGraphicPlan", &["yes", "1", "in:true", "like:true", "gt:false", "null"]),
        ("tags", &["like:fire", "gt:fire", "in:", "nin:"]),
    ];
    for (parameter, values) in cases {
        for value in *values {
            let refusal = list(&running, &[(parameter, value)]).refused(400, "input.data.invalid");
            let details = refusal.body["details"].as_array().expect("details");
            assert_eq!(details.len(), 1, "{parameter}={value}: {}", refusal.body);
            assert_eq!(details[0]["identifier"], *parameter, "{}", refusal.body);
        }
    }
}

#[test]
fn all_that_does_not_fit_is_reported() {
    let running = running();
    let parameters =
        [("offset", "-1"), ("withGraphicPlan", "maybe"), ("limit", "x"), ("sort", "tags")];
    list(&running, &parameters).misunderstood(&[
        detail("validation.range.failed", "offset", &["0", "9223372036854775807"]),
        detail("data.type.invalid", "withGraphicPlan", &["BOOLEAN"]),
        detail("data.type.invalid", "limit", &["INTEGER"]),
        detail(
            "validation.enum.failed",
            "sort",
            &["id", "name", "address", "latitude", "longitude"],
        ),
    ]);
    for once in [("limit", "1"), ("offset", "1"), ("q", "a")] {
        list(&running, &[once, once]).misunderstood(&[detail(
            "validation.unique.failed",
            once.0,
            &[],
        )]);
    }
}

#[test]
fn filters_of_other_lists_are_unknown_and_ignored() {
    let running = running();
    let path = format!("{LIST}?state=DONE&status=x&locationId=1&type=QR&includeOpenTasks=no");
    assert_eq!(running.admin.get(&path).ok()["meta"]["count"], 6);
}

#[test]
fn the_list_has_no_other_methods() {
    let running = running();
    for method in ["PUT", "PATCH", "DELETE", "OPTIONS"] {
        let answer = running.admin.text(method, LIST, "{}");
        let _ = answer.refused(405, "method.not.allowed");
        assert_eq!(answer.header("Allow"), Some("GET, HEAD, POST"));
    }
    let _ = running.admin.get("/locations/").refused(404, "not.found");
}
