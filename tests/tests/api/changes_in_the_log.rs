//! The log line of a change names the record.

use patrol_tests::{
    Running,
    company::{EMPLOYEE, GUARD, PORT, TEMPERATURE},
    execution_id, planned,
};
use serde_json::json;

#[test]
fn the_line_of_a_change_names_the_record() {
    let running = Running::with([planned(1), planned(2)]);
    let admin = |request_id: &str| running.admin.with("X-Request-Id", request_id);
    let execution = format!("/task-executions/{}", execution_id(1));

    let _ = admin("patch").patch(&execution, &json!({ "name": "New" })).ok();
    let _ = admin("refused")
        .patch(&execution, &json!({ "name": "" }))
        .refused(400, "validation.failed");
    let _ = admin("read").get(&execution).ok();
    let point = json!({ "locationId": PORT, "name": "New", "type": "QR" });
    let point = admin("create").post("/locations/points", &point).json(201);
    let token = admin("issue").post("/tokens", &json!({ "name": "x" })).json(201);
    let secret = token["token"].as_str().unwrap();
    let _ = admin("secret").delete(&format!("/tokens/{secret}"));
    let batch = [GUARD, EMPLOYEE].map(|id| json!({ "id": id, "phone": "1" }));
    let _ = admin("batch").post("/users/batch", &json!(batch)).ok();
    let both = json!({ "taskIds": [execution_id(1), execution_id(2)] });
    let copy = admin("copy").post(&format!("{execution}/copy"), &both).ok();
    let action = format!("/check-lists/actions/{TEMPERATURE}");
    admin("delete").delete(&action).is_bare(204);

    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let named = [
        ("patch", Some(execution_id(1))),
        ("refused", Some(execution_id(1))),
        ("read", None),
        ("create", Some(text(&point["id"]))),
        ("issue", Some(text(&token["id"]))),
        ("secret", None),
        ("batch", Some(format!("{GUARD},{EMPLOYEE}"))),
        ("copy", Some(format!("{},+1", text(&copy["id"])))),
        ("delete", Some(TEMPERATURE.to_owned())),
    ];
    let log = running.server.log_once(|log| log.contains("request_id=\"delete\""));
    for (request_id, record) in named {
        let of_request = format!("request_id=\"{request_id}\"");
        let mut lines = log.lines().filter(|line| line.contains(&of_request));
        let line = lines.find(|line| line.contains("status=")).unwrap_or_else(|| panic!("{log}"));
        let wanted = record.map(|record| format!("record=\"{record}\""));
        match wanted {
            Some(wanted) => assert!(line.contains(&wanted), "{wanted}: {line}"),
            None => assert!(!line.contains("record="), "{line}"),
        }
    }
    assert!(!log.contains(&secret[4..]), "the log has a token");
}
