//! `graphicPlans` of a point.

use patrol_tests::{
    Running,
    company::{AIRPORT, AIRPORT_PLAN, NOBODY, PLAN},
    detail, with,
};
use serde_json::{Value, json};

use super::{POINTS, create, path, small};

fn placed(plans: Value) -> Value {
    with(small(), json!({ "graphicPlans": plans }))
}

#[test]
fn places_and_further_members_are_kept_and_returned() {
    let running = Running::with([]);
    let plans = json!([
        { "id": PLAN },
        { "id": PLAN, "x": 0, "y": 1 },
        { "id": PLAN, "x": 0.125 },
        {
            "id": PLAN, "colour": "красный", "label": { "size": 12.5, "lines": ["a", null, []] },
            "x": 0.5, "visible": true, "none": null, "y": 0.5, "": "",
        },
    ]);
    let id = create(&running, &placed(plans.clone()));
    let check = |shown: &Value| {
        for (sent, shown) in plans.as_array().unwrap().iter().zip(shown.as_array().unwrap()) {
            for (name, value) in sent.as_object().unwrap() {
                assert_eq!(shown.get(name), Some(value), "{name} of {shown}");
            }
            let known = |name: &String| sent.get(name).is_some() || shown[name].is_null();
            assert!(shown.as_object().unwrap().keys().all(known), "{shown}");
        }
    };
    let read = running.admin.get(&path(&id)).ok();
    check(&read["graphicPlans"]);
    // A record that was read can be sent back without changes.
    let again = running.admin.put(&path(&id), &read).ok();
    assert_eq!(again, read);
    // The history and the data set have them too.
    check(&super::history_of(&running, &id)[1]["graphicPlans"]);
    let exported = running.exported();
    let line = exported.lines().find(|line| line.contains(&id)).unwrap();
    check(&serde_json::from_str::<Value>(line).unwrap()["graphicPlans"]);
}

#[test]
fn a_plan_is_one_of_the_same_location() {
    let running = Running::with([]);
    let strange =
        |at: usize| [detail("validation.reference.failed", &format!("graphicPlans[{at}].id"), &[])];
    let plans = json!([{ "id": PLAN }, { "id": AIRPORT_PLAN }]);
    running.admin.post(POINTS, &placed(plans.clone())).invalid(&strange(1));
    running.admin.post(POINTS, &placed(json!([{ "id": NOBODY }]))).invalid(&strange(0));
    let airport = with(placed(plans), json!({ "locationId": AIRPORT }));
    running.admin.post(POINTS, &airport).invalid(&strange(0));
    let id = create(&running, &placed(json!([{ "id": PLAN }])));
    // A point cannot move to another location and keep its plan.
    let moved = with(placed(json!([{ "id": PLAN }])), json!({ "locationId": AIRPORT }));
    running.admin.put(&path(&id), &moved).invalid(&strange(0));
    let moved = with(placed(json!([{ "id": AIRPORT_PLAN }])), json!({ "locationId": AIRPORT }));
    let _ = running.admin.put(&path(&id), &moved).ok();
}

#[test]
fn a_place_lies_on_the_plan() {
    let running = Running::with([]);
    let plans = json!([
        { "id": PLAN, "x": -0.001, "y": 1.001 }, {}, { "id": null, "x": null }, { "id": PLAN, "y": 2 },
    ]);
    let off = |identifier: &str| detail("validation.range.failed", identifier, &["0", "1"]);
    running.admin.post(POINTS, &placed(plans)).invalid(&[
        off("graphicPlans[0].x"),
        off("graphicPlans[0].y"),
        detail("validation.notnull.failed", "graphicPlans[1].id", &[]),
        detail("validation.notnull.failed", "graphicPlans[2].id", &[]),
        off("graphicPlans[3].y"),
    ]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    let plans = json!([PLAN, { "id": 1, "x": "0.5", "y": true }, null, { "id": "x" }]);
    running.admin.post(POINTS, &placed(plans)).misunderstood(&[
        wrong("graphicPlans[0]", "OBJECT"),
        wrong("graphicPlans[1].id", "UUID"),
        wrong("graphicPlans[1].x", "NUMBER"),
        wrong("graphicPlans[1].y", "NUMBER"),
        wrong("graphicPlans[2]", "OBJECT"),
        wrong("graphicPlans[3].id", "UUID"),
    ]);
    running
        .admin
        .post(POINTS, &placed(json!({ "id": PLAN })))
        .misunderstood(&[wrong("graphicPlans", "ARRAY")]);
}

/// An element with this size as compact JSON.
fn sized(bytes: usize) -> Value {
    let element = |text: String| json!({ "id": PLAN, "note": text });
    let without = element(String::new()).to_string().len();
    element("x".repeat(bytes - without))
}

#[test]
fn an_element_is_bounded_with_its_further_members() {
    let running = Running::with([]);
    let id = create(&running, &placed(json!([sized(4096), { "id": PLAN }])));
    let read = running.admin.get(&path(&id)).ok();
    assert_eq!(running.admin.put(&path(&id), &read).ok(), read, "what was read can be sent back");
    let too_large = |at: usize| {
        [detail("validation.length.failed", &format!("graphicPlans[{at}]"), &["0", "4096"])]
    };
    let large = placed(json!([{ "id": PLAN }, sized(4097)]));
    running.admin.post(POINTS, &large).invalid(&too_large(1));
    running.admin.put(&path(&id), &large).invalid(&too_large(1));
    let many = |count: usize| placed(Value::Array(vec![json!({ "id": PLAN }); count]));
    let _ = create(&running, &many(100));
    let length = detail("validation.length.failed", "graphicPlans", &["0", "100"]);
    running.admin.post(POINTS, &many(101)).invalid(&[length]);
}

#[test]
fn a_larger_element_is_refused_by_an_import_and_read_when_it_is_stored() {
    let store = patrol_tests::Store::with(&patrol_tests::company::company());
    let id = "0190a000-0003-7000-8000-0000000000aa";
    let point = patrol_tests::company::point(id, patrol_tests::company::PORT, "Large");
    let point = with(point, json!({ "graphicPlans": [sized(100_000)] }));
    let lines = point.to_string();
    let refused = store.run_with(&["import", "-"], lines.clone()).exited(1);
    assert!(refused.stderr.contains("line 1: graphicPlans[0]"), "{}", refused.stderr);
    let larger = ["import", "-", "--limit-plan-place", "1 MiB"];
    let _ = store.run_with(&larger, lines).exited(0);
    let running = Running::on(store);
    let read = running.admin.get(&path(id)).ok();
    assert_eq!(read["graphicPlans"][0]["note"], sized(100_000)["note"]);
    let length = detail("validation.length.failed", "graphicPlans[0]", &["0", "4096"]);
    running.admin.put(&path(id), &read).invalid(&[length]);
}
