//! DELETE /task-executions/{id}.

use patrol_tests::{Running, company::NOBODY, completed, in_progress, planned};
use serde_json::json;

use super::{MALFORMED, path};

#[test]
fn an_execution_in_any_state_is_removed_for_good() {
    let running = Running::with([planned(1), in_progress(2), completed(3), planned(4)]);
    for n in 1..=3 {
        running.admin.delete(&path(n)).is_bare(204);
        let _ = running.admin.get(&path(n)).refused(404, "not.found");
        let _ = running.admin.delete(&path(n)).refused(404, "not.found");
        let _ = running.admin.patch(&path(n), &json!({ "name": "x" })).refused(404, "not.found");
    }
    let list = running.admin.get("/task-executions/info").ok();
    assert_eq!(list["meta"]["count"], 1);
    assert_eq!(list["data"][0]["id"], patrol_tests::execution_id(4));
}

#[test]
fn an_id_of_another_form_has_the_wrong_type() {
    let running = Running::with([planned(1)]);
    for id in MALFORMED {
        let refusal = running
            .admin
            .delete(&format!("/task-executions/{id}"))
            .refused(400, "data.type.invalid");
        assert_eq!(refusal.body["identifier"], "id", "{id}");
        assert_eq!(refusal.body["args"], json!(["UUID"]), "{id}");
    }
    let list = format!("{},{}", patrol_tests::execution_id(1), patrol_tests::execution_id(1));
    let _ =
        running.admin.delete(&format!("/task-executions/{list}")).refused(400, "data.type.invalid");
}

#[test]
fn an_unknown_id_is_not_found_whatever_the_condition() {
    let running = Running::with([]);
    let unknown = format!("/task-executions/{NOBODY}");
    let _ = running.admin.delete(&unknown).refused(404, "not.found");
    let _ = running.admin.with("If-Match", "\"x\"").delete(&unknown).refused(404, "not.found");
}

#[test]
fn a_version_that_has_passed_is_not_removed() {
    let running = Running::with([planned(1)]);
    let old = running.admin.get(&path(1)).etag();
    let new = running.admin.patch(&path(1), &json!({ "name": "Changed" })).etag();
    for stale in [old, "\"other\"".to_owned(), format!("W/{new}")] {
        let _ = running
            .admin
            .with("If-Match", &stale)
            .delete(&path(1))
            .refused(412, "precondition.failed");
        assert_eq!(running.read(1)["name"], "Changed", "{stale}");
    }
    running.admin.with("If-Match", &format!("\"other\", {new}")).delete(&path(1)).is_bare(204);
}

#[test]
fn any_version_is_removed_when_any_will_do() {
    let running = Running::with([planned(1)]);
    running.admin.with("If-Match", "*").delete(&path(1)).is_bare(204);
}
