//! graphicPlans of a point (decisions 7).

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
    // What was read can be sent back, and says the same.
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
    // It cannot move and leave its plan behind.
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
