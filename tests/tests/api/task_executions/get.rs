//! GET /task-executions/{id}.

use patrol_tests::{
    DataSet, Running, company::NOBODY, completed, execution_id, planned, step_id, with,
};
use serde_json::json;

use super::{MALFORMED, path, planned_record};

#[test]
fn the_whole_record_is_read() {
    let running = Running::with([planned(1), planned(2)]);
    let answer = running.admin.get(&path(1));
    assert_eq!(answer.ok(), planned_record(1));
    assert_eq!(running.read(2), planned_record(2));
}

#[test]
fn what_may_be_left_out_of_a_data_set_is_read_as_null_empty_or_default() {
    let whole = planned(1);
    let required = ["kind", "id", "scheduledTaskId", "name", "locationId", "startAt", "endAt"];
    let bare = required.iter().map(|name| ((*name).to_owned(), whole[*name].clone()));
    let running = Running::with([bare.chain([("steps".to_owned(), json!([]))]).collect()]);
    let expected = with(
        planned_record(1),
        json!({
            "description": null, "assigneeIds": [], "published": false, "priority": "NORMAL",
            "orderStepsRequired": false, "deadlined": false, "tags": [], "steps": [],
            "late": false, "missed": false,
        }),
    );
    assert_eq!(running.read(1), expected);
}

#[test]
fn an_id_is_taken_in_any_case_and_given_in_lower_case() {
    let running = Running::with([planned(0xabc)]);
    let upper = execution_id(0xabc).to_uppercase();
    let answer = running.admin.get(&format!("/task-executions/{upper}"));
    assert_eq!(answer.ok()["id"], execution_id(0xabc));
}

#[test]
fn an_id_of_another_form_has_the_wrong_type() {
    let running = Running::with([planned(1)]);
    for id in MALFORMED {
        let refusal =
            running.admin.get(&format!("/task-executions/{id}")).refused(400, "data.type.invalid");
        refusal.shows(&[]);
        assert_eq!(refusal.body["identifier"], "id", "{id}");
        assert_eq!(refusal.body["args"], json!(["UUID"]), "{id}");
    }
}

#[test]
fn an_unknown_id_is_not_found() {
    let running = Running::with([planned(1)]);
    let refusal =
        running.admin.get(&format!("/task-executions/{NOBODY}")).refused(404, "not.found");
    refusal.shows(&[]);
    assert!(refusal.body.get("identifier").is_none());
    // The id of a step is not the id of an execution.
    let step = format!("/task-executions/{}", step_id(1, 1));
    let _ = running.admin.get(&step).refused(404, "not.found");
}

#[test]
fn steps_and_actions_come_by_order_and_equal_ones_as_sent() {
    let mut execution = planned(1);
    let step = execution["steps"][0].clone();
    let steps = [(11, "late", 7), (12, "tie a", 3), (13, "tie b", 3), (14, "first", -2)];
    execution["steps"] = steps
        .iter()
        .map(|(id, name, order)| {
            with(
                step.clone(),
                json!({ "id": step_id(1, *id), "name": name, "order": order, "actions": [] }),
            )
        })
        .collect();
    let mut ordered = step["actions"].as_array().unwrap().clone();
    ordered[0]["order"] = json!(2);
    execution["steps"][0]["actions"] = json!(ordered);
    let running = Running::with([execution]);
    let record = running.read(1);
    let names: Vec<_> =
        record["steps"].as_array().unwrap().iter().map(|step| step["name"].clone()).collect();
    assert_eq!(json!(names), json!(["first", "tie a", "tie b", "late"]));
    assert_eq!(record["steps"][3]["actions"][0]["name"], "Pressure");
    assert_eq!(record["steps"][3]["actions"][1]["name"], "Closed");
}

#[test]
fn numbers_are_written_shortest_and_whole_ones_without_a_fraction() {
    let mut execution = planned(1);
    let action = execution["steps"][0]["actions"][1].clone();
    let bounds = [("-5.0", "100.0"), ("0.1", "0.30000000000000004"), ("5e-324", "1.5e300")];
    execution["steps"][0]["actions"] = bounds
        .iter()
        .enumerate()
        .map(|(at, (min, max))| {
            let id = patrol_tests::action_id(1, 20 + u32::try_from(at).unwrap());
            let number = |text: &str| serde_json::from_str::<f64>(text).unwrap();
            with(
                action.clone(),
                json!({ "id": id, "order": at, "minValue": number(min), "maxValue": number(max) }),
            )
        })
        .collect();
    let running = Running::with([execution]);
    let answer = running.admin.get(&path(1));
    for number in [
        "\"minValue\":-5,",
        "\"maxValue\":100,",
        "\"minValue\":0.1,",
        "0.30000000000000004",
        "5e-324",
    ] {
        assert!(answer.text().contains(number), "{number} is not in {}", answer.text());
    }
    assert_eq!(answer.ok()["steps"][0]["actions"][2]["maxValue"], json!(1.5e300));
}

#[test]
fn an_unchanged_record_need_not_be_sent_again() {
    let running = Running::with([planned(1)]);
    let (admin, etag) = (&running.admin, running.admin.get(&path(1)).etag());
    assert_eq!(admin.get(&path(1)).etag(), etag, "the same version has the same ETag");
    for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
        let answer = admin.with("If-None-Match", &known).get(&path(1));
        answer.is_bare(304);
        assert_eq!(answer.etag(), etag, "{known}");
    }
    for other in ["\"other\"", "W/\"other\"", "\"other\", \"another\""] {
        let _ = admin.with("If-None-Match", other).get(&path(1)).ok();
    }
    let _ = admin.patch(&path(1), &json!({ "name": "Changed" })).ok();
    let changed = admin.with("If-None-Match", &etag).get(&path(1));
    assert_eq!(changed.ok()["name"], "Changed");
    assert_ne!(changed.etag(), etag);
}

#[test]
fn an_etag_does_not_come_again_for_another_content() {
    let running = Running::with([planned(1)]);
    let etag = running.admin.get(&path(1)).etag();
    running.admin.delete(&path(1)).is_bare(204);
    let _ = running.store.import(&DataSet::new([completed(1)])).exited(0);
    let answer = running.admin.with("If-None-Match", &etag).get(&path(1));
    assert_eq!(answer.ok()["state"], "COMPLETED");
    let _ =
        running.admin.with("If-Match", &etag).delete(&path(1)).refused(412, "precondition.failed");
}

#[test]
fn head_answers_as_get_does_without_the_body() {
    let running = Running::with([planned(1)]);
    let get = running.admin.get(&path(1));
    let head = running.admin.send("HEAD", &path(1), None);
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    for name in ["Content-Type", "Content-Length", "ETag"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    assert_eq!(head.header("Content-Length"), Some(get.body.len().to_string().as_str()));
    let unknown = running.admin.send("HEAD", &format!("/task-executions/{NOBODY}"), None);
    assert_eq!((unknown.status, unknown.body.len()), (404, 0));
}
