//! Import and export.

use std::{collections::HashSet, fs};

use patrol_tests::{
    DataSet, Outcome, Running, Store,
    company::{self, GATE, NOBODY, PORT},
    completed, in_progress, planned,
    round::{eventually, rounds, scheduled},
    with,
};
use serde_json::{Value, json};

/// The store is unchanged, and the error names the line and the field.
fn check_refused(store: &Store, outcome: Outcome, line: usize, field: &str) {
    let outcome = outcome.exited(1);
    assert_eq!(outcome.stdout, "", "{outcome:?}");
    let error = outcome.stderr.lines().last().unwrap_or_default();
    let place = format!("line {line}: {field}");
    assert!(error.contains(&place), "not {place:?}: {}", outcome.stderr);
    let left = store.run(&["export", "-"]).exited(0).stdout;
    assert_eq!(left, "", "all or nothing");
}

/// Imports the company and this record into a new store.
fn refused(record: Value, field: &str) {
    let store = Store::empty();
    let data_set = company::company().and([record]);
    let line = data_set.records().len();
    check_refused(&store, store.import(&data_set), line, field);
}

#[test]
fn what_is_exported_is_imported_unchanged() {
    let mut execution = in_progress(2);
    execution["steps"][0]["actions"][1]["numberValue"] = json!(0.1 + 0.2);
    execution["name"] = json!("\u{1}\"\\/😀 \u{2028}");
    let records = [planned(1), execution, completed(3), with(planned(4), json!({ "steps": [] }))];
    let first = Store::with(&company::company().and(records.clone()));
    let exported = first.run(&["export", "-"]).exited(0).stdout;
    let second = Store::empty();
    let _ = second.run_with(&["import", "-"], exported.clone()).exited(0);
    let again = second.run(&["export", "-"]).exited(0).stdout;
    assert_eq!(again, exported);
    assert_eq!(exported.lines().count(), company::company().records().len() + records.len());
    for line in exported.lines() {
        let record: Value = serde_json::from_str(line).expect("a JSON object a line");
        let sent = company::company().and(records.clone());
        let sent = sent.records().iter().find(|sent| sent["id"] == record["id"]).unwrap().clone();
        assert_includes(&record, &sent);
        assert!(record.get("password").is_none());
    }
}

#[test]
fn what_was_changed_over_http_is_exported_and_imported_unchanged() {
    let running = Running::with([planned(1)]);
    let admin = &running.admin;
    let user = json!({
        "firstName": "Анна", "middleName": "М.", "employeeNo": "Ж-17", "employeePin": "0042",
        "email": null, "phone": "", "language": "pt-BR", "role": "MANAGER", "status": "INACTIVE",
        "locationIds": [PORT, company::YARD], "tags": ["b", "a"],
    });
    let _ = admin.patch(&format!("/users/{}", company::GUARD), &user).ok();
    let batch = json!([{ "id": company::EMPLOYEE, "lastName": "Ёж 😀", "employeeNo": null }]);
    let _ = admin.post("/users/batch", &batch).ok();
    let point = json!({
        "locationId": PORT, "name": "Ворота", "type": "NFC", "latitude": 59.93, "longitude": -0.5,
        "graphicPlans": [{ "id": company::PLAN, "x": 0.1, "y": 1, "further": { "a": [1.5, null] } }],
        "rfidCode": "04A2", "qrCode": "\u{1}\"", "tags": ["x"],
    });
    let created = admin.post("/locations/points", &point).json(201);
    let without_codes = with(point, json!({ "rfidCode": null, "qrCode": null }));
    let _ = admin.put(&format!("/locations/points/{GATE}"), &without_codes).ok();
    admin.delete(&format!("/locations/points/{}", company::PIER)).is_bare(204);
    let action = |id: &str| format!("/check-lists/actions/{id}");
    let _ =
        admin.put(&action(company::TEMPERATURE), &json!({ "name": "°C", "type": "NUMBER" })).ok();
    admin.delete(&action(company::LOCKED)).is_bare(204);

    let exported = running.exported();
    for part in ["Ж-17", "Ёж 😀", "Ворота", "further", "°C"] {
        assert!(exported.contains(part), "{part} is not exported");
    }
    let point_id = |id: &str| format!("\"kind\":\"point\",\"id\":\"{id}\"");
    assert!(!exported.contains(&point_id(company::PIER)) && !exported.contains(company::LOCKED));
    let second = Store::empty();
    let _ = second.run_with(&["import", "-"], exported.clone()).exited(0);
    let second = Running::on(second);
    assert_eq!(second.exported(), exported);
    for user in [company::GUARD, company::EMPLOYEE, company::ADMIN] {
        assert_eq!(second.user(user), running.user(user));
    }
    for point in [created["id"].as_str().unwrap(), GATE, company::TOWER] {
        let path = format!("/locations/points/{point}");
        assert_eq!(second.admin.get(&path).ok(), admin.get(&path).ok());
    }
    let locations = second.admin.get("/locations").ok();
    assert_eq!(locations, admin.get("/locations").ok());
}

/// Rounds that were made from a schedule, deleted and edited stay so in the new store.
#[test]
fn an_import_neither_repeats_nor_moves_rounds() {
    let first = Running::with([]);
    let task = first.admin.post("/scheduled-tasks", &scheduled("Daily", "FREQ=DAILY")).json(201);
    let made = at_least(&first, "Daily", 14);
    let path = |round: &Value| format!("/task-executions/{}", round["id"].as_str().unwrap());
    first.admin.delete(&path(&made[2])).is_bare(204);
    let _ = first.admin.patch(&path(&made[3]), &json!({ "tags": ["kept"] })).ok();
    let moved = json!({ "startAt": made[5]["endAt"], "endAt": made[6]["startAt"] });
    let _ = first.admin.patch(&path(&made[5]), &moved).ok();
    let known = rounds(&first.admin, "Daily");
    let edited = known.iter().filter(|round| round["edited"] == true).count();
    assert_eq!((known.len(), edited), (made.len() - 1, 2));

    let exported = first.exported();
    let second = Store::empty();
    let _ = second.run_with(&["import", "-"], exported.clone()).exited(0);
    assert_eq!(second.run(&["export", "-"]).exited(0).stdout, exported);
    let second = Running::on(second);
    // It is due after the imported one.
    let other = second.admin.post("/scheduled-tasks", &scheduled("Other", "FREQ=DAILY")).json(201);
    let others = at_least(&second, "Other", 14);
    assert!(others.iter().any(|round| round["startAt"] == made[2]["startAt"]), "{others:?}");
    assert_ne!(other["id"], task["id"]);
    let mut after = rounds(&second.admin, "Daily");
    // The next day may have begun.
    after.truncate(known.len());
    assert_eq!(after, known);
    let exported_again = second.exported();
    let lines: HashSet<_> = exported_again.lines().collect();
    for line in exported.lines() {
        assert!(lines.contains(line), "{line}");
    }
    // The line of an execution cannot be imported once more under another id.
    let line = exported.lines().find(|line| line.contains("occurrenceAt\":\"2")).unwrap();
    let record: Value = serde_json::from_str(line).expect("a JSON object a line");
    let record = with(record, json!({ "id": NOBODY }));
    let refused = second.store.import(&DataSet::new([record])).exited(1);
    let message = "line 1: occurrenceAt: already exists";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
}

/// The rounds with this name, once there are at least `least`.
fn at_least(running: &Running, name: &str, least: usize) -> Vec<Value> {
    eventually(&format!("{least} rounds {name}"), || {
        Some(rounds(&running.admin, name)).filter(|rounds| rounds.len() >= least)
    })
}

#[test]
fn a_code_or_a_number_that_is_taken_is_an_error() {
    let running = Running::with([]);
    let admin = &running.admin;
    let changed = json!({ "employeeNo": "Ж1", "email": "new@example.org" });
    let _ = admin.patch(&format!("/users/{}", company::GUARD), &changed).ok();
    let body = json!({
        "locationId": PORT, "name": "x", "type": "QR", "qrCode": "q", "rfidCode": "r",
    });
    let _ = admin.put(&format!("/locations/points/{GATE}"), &body).ok();
    let before = running.exported();
    let user = |change: Value| with(company::user(NOBODY, "EMPLOYEE", "Z9"), change);
    let point = |change: Value| with(company::point(NOBODY, PORT, "x"), change);
    for (record, field) in [
        (user(json!({ "employeeNo": "ж1" })), "employeeNo"),
        (user(json!({ "email": "NEW@example.org" })), "email"),
        (point(json!({ "qrCode": "q" })), "qrCode"),
        (point(json!({ "rfidCode": "r" })), "rfidCode"),
        (point(json!({ "graphicPlans": [{ "id": company::AIRPORT_PLAN }] })), "graphicPlans[0].id"),
    ] {
        let outcome = running.store.import(&DataSet::new([record.clone()])).exited(1);
        let place = format!("line 1: {field}");
        assert!(outcome.stderr.contains(&place), "{record}: {}", outcome.stderr);
    }
    assert_eq!(running.exported(), before);
    // Values that were given up are free.
    let free = user(json!({ "employeeNo": "E2", "email": "E2@example.org" }));
    let _ = running.store.import(&DataSet::new([free])).exited(0);
}

/// Every member that was sent is there with its value.
fn assert_includes(record: &Value, sent: &Value) {
    match (record, sent) {
        (Value::Object(record), Value::Object(sent)) => {
            sent.iter().for_each(|(name, value)| assert_includes(&record[name], value));
        }
        (Value::Array(record), Value::Array(sent)) => {
            assert_eq!(record.len(), sent.len());
            record.iter().zip(sent).for_each(|(record, sent)| assert_includes(record, sent));
        }
        _ => assert_eq!(record, sent),
    }
}

#[test]
fn a_file_is_read_and_written() {
    let store = Store::empty();
    let (from, to) = (store.path("in.ndjson"), store.path("out.ndjson"));
    fs::write(&from, format!("\n{}\n  \n", company::company().and([planned(1)]))).unwrap();
    let _ = store.run(&["import", from.to_str().unwrap()]).exited(0);
    let written = store.run(&["export", to.to_str().unwrap()]).exited(0);
    assert_eq!(written.stdout, "", "the data are in the file");
    let count = fs::read_to_string(&to).unwrap().lines().count();
    assert_eq!(count, company::company().records().len() + 1);
    let missing = store.run(&["import", "missing.ndjson"]).exited(1);
    assert_eq!(missing.stderr.lines().count(), 1, "{}", missing.stderr);
}

#[test]
fn import_only_adds() {
    let store = Store::with(&company::company().and([planned(1)]));
    let before = store.run(&["export", "-"]).exited(0).stdout;
    for record in [
        planned(1),
        json!({ "kind": "location", "id": PORT, "name": "x", "address": "" }),
        json!({ "kind": "scheduledTask", "id": company::ROUND, "name": "x" }),
    ] {
        let data_set = DataSet::new([planned(2), record.clone()]);
        let outcome = store.import(&data_set).exited(1);
        assert!(outcome.stderr.contains("line 2: id"), "{record}: {}", outcome.stderr);
        assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    }
    let _ = store.import(&DataSet::new([planned(2)])).exited(0);
}

#[test]
fn the_rules_of_the_api_hold() {
    for (change, field) in [
        (json!({ "name": "" }), "name"),
        (json!({ "name": "n".repeat(256) }), "name"),
        (json!({ "name": null }), "name"),
        (json!({ "name": 1 }), "name"),
        (json!({ "id": "x" }), "id"),
        (json!({ "id": null }), "id"),
        (
            json!({ "scheduledTaskId": null, "occurrenceAt": "2026-01-31T08:00:00" }),
            "scheduledTaskId",
        ),
        (json!({ "locationId": NOBODY }), "locationId"),
        (json!({ "endAt": "2026-01-31T07:00:00Z" }), "endAt"),
        (json!({ "priority": "URGENT" }), "priority"),
        (json!({ "state": "DONE" }), "state"),
        (json!({ "state": "IN_PROGRESS" }), "startedAt"),
        (json!({ "state": "COMPLETED", "startedAt": "2026-01-31T07:00:00Z" }), "endedAt"),
        (json!({ "startedAt": "2026-01-31T07:00:00Z" }), "startedAt"),
        (json!({ "tags": ["a", "\u{0}"] }), "tags[1]"),
        (json!({ "colour": "red" }), "colour"),
        (json!({ "status": "SUCCESS" }), "status"),
        (json!({ "errorCount": 0 }), "errorCount"),
        (json!({ "steps": [{ "id": patrol_tests::step_id(1, 1), "name": "" }] }), "steps[0].name"),
    ] {
        refused(with(planned(1), change), field);
    }
    let mut action = planned(1);
    action["steps"][0]["actions"][1]["type"] = json!("SMELL");
    refused(action, "steps[0].actions[1].type");
    let mut unknown = planned(1);
    unknown["steps"][0]["actions"][1]["weight"] = json!(1);
    refused(unknown, "steps[0].actions[1].weight");
    let mut result = in_progress(1);
    result["steps"][0]["actions"][0]["booleanValue"] = json!("yes");
    refused(result, "steps[0].actions[0].booleanValue");
    refused(json!({ "kind": "rocket", "id": NOBODY }), "kind");
    refused(json!({ "id": NOBODY }), "kind");
}

#[test]
fn a_reference_points_backwards_unless_the_record_may_have_been_deleted() {
    let company = company::company();
    let store = Store::empty();
    let forward = DataSet::new([planned(1)]).and(company.records().iter().cloned());
    let outcome = store.import(&forward).exited(1);
    assert!(outcome.stderr.contains("line 1: "), "{}", outcome.stderr);
    let mut gone = planned(1);
    gone["steps"][0]["pointId"] = json!(NOBODY);
    gone["scheduledTaskId"] = json!(NOBODY);
    gone["performerId"] = json!(NOBODY);
    gone["assigneeIds"] = json!([NOBODY, company::GUARD]);
    let running = Running::with([gone]);
    assert_eq!(running.read(1)["steps"][0]["pointId"], NOBODY);
    assert_eq!(running.read(1)["steps"][1]["pointId"], company::PIER);
    assert_eq!(running.read(1)["performerId"], NOBODY);
    assert_eq!(running.read(1)["assigneeIds"], json!([NOBODY, company::GUARD]));
    assert_ne!(GATE, NOBODY);
}

#[test]
fn a_line_that_is_no_object_is_named() {
    for text in ["{", "[]", "1", "null", "{}{}", "{\"kind\":\"location\",\"kind\":\"location\"}"] {
        let store = Store::empty();
        let whole = format!("{}\n{text}\n", company::company());
        let line = company::company().records().len() + 2;
        check_refused(&store, store.run_with(&["import", "-"], whole), line, "");
    }
    let store = Store::empty();
    check_refused(&store, store.run_with(&["import", "-"], &b"\n\xff\xff\n"[..]), 2, "");
}

#[test]
fn a_secret_is_not_in_an_error() {
    let store = Store::empty();
    let mut user = company::company().records()[0].clone();
    user["employeePin"] = json!("8".repeat(300));
    user["password"] = json!("correct horse");
    let outcome = store.import(&DataSet::new([user])).exited(1);
    assert!(outcome.stderr.contains("line 1: employeePin"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("8888") && !outcome.stderr.contains("horse"));
}

#[test]
fn a_password_is_stored_hashed_and_never_exported() {
    let mut user = company::company().records()[0].clone();
    user["password"] = json!("correct horse battery");
    let store = Store::with(&DataSet::new([user]));
    assert!(!store.run(&["export", "-"]).exited(0).stdout.contains("horse"));
    assert!(store.holds("Pin271828"), "the rest is found");
    assert!(!store.holds("correct horse"));
}

#[test]
fn a_fresh_store_holds_no_record() {
    let store = Store::empty();
    let _ = store.run(&["migrate"]).exited(0);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, "");
}

#[test]
fn bad_lines_are_named_together() {
    let store = Store::with(&company::company());
    let before = store.run(&["export", "-"]).exited(0).stdout;
    let lost = with(planned(1), json!({ "locationId": NOBODY }));
    let twice = company::company().records()[0].clone();
    let lines = [
        planned(2).to_string(),
        lost.to_string(),
        twice.to_string(),
        "[{\"kind\":\"location\"}]".to_owned(),
        with(planned(3), json!({ "priority": "HIGH" })).to_string(),
        // Not compared with the store.
        twice.to_string(),
    ];
    let outcome = store.run_with(&["import", "-"], lines.join("\n")).exited(1);
    let said: Vec<_> = outcome.stderr.lines().collect();
    for (said, expected) in said.iter().zip([
        format!("line 2: locationId: there is no location {NOBODY}"),
        "line 3: id: already exists".to_owned(),
        "line 4 is a list; write one object per line, without brackets".to_owned(),
        "line 5: priority: must be one of ".to_owned(),
    ]) {
        assert!(said.contains(&expected), "not {expected:?}: {}", outcome.stderr);
    }
    assert_eq!(said.len(), 4, "{}", outcome.stderr);
    let not_compared = "; nothing was imported; later lines were not compared with the store";
    assert!(said[3].ends_with(not_compared), "{}", outcome.stderr);
    let outcome = store.run_with(&["import", "-"], lines[..3].join("\n")).exited(1);
    assert!(outcome.stderr.trim_end().ends_with("; nothing was imported"), "{}", outcome.stderr);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before, "all or nothing");
}

#[test]
fn twenty_bad_lines_are_enough() {
    let store = Store::with(&company::company());
    let users = |change: Value| {
        (1..=30).map(move |n| {
            let id = format!("0190a000-0000-7000-8000-0000000f00{n:02}");
            with(company::user(&id, "EMPLOYEE", &format!("N{n}")), change.clone()).to_string()
        })
    };
    for change in [json!({ "role": "KING" }), json!({ "locationIds": [NOBODY] })] {
        let lines: Vec<_> = users(change).collect();
        let outcome = store.run_with(&["import", "-"], lines.join("\n")).exited(1);
        assert_eq!(outcome.stderr.lines().count(), 20, "{}", outcome.stderr);
        let last = outcome.stderr.lines().last().unwrap();
        assert!(last.contains("line 20: "), "{last}");
        assert!(last.ends_with("nothing was imported; further lines may be wrong"), "{last}");
    }
}

#[test]
fn a_dry_run_stores_nothing() {
    let store = Store::with(&company::company());
    let before = store.run(&["export", "-"]).exited(0).stdout;
    let good = DataSet::new([planned(1), completed(2)]);
    let tried = store.run_with(&["import", "--dry-run", "-"], good.to_string()).exited(0);
    assert!(tried.stderr.contains("2 records can be imported"), "{}", tried.stderr);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    let bad = DataSet::new([with(planned(1), json!({ "locationId": NOBODY }))]);
    let tried = store.run_with(&["import", "--dry-run", "-"], bad.to_string()).exited(1);
    assert!(tried.stderr.contains("line 1: locationId: "), "{}", tried.stderr);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    let _ = store.import(&good).exited(0);
    let tried = store.run_with(&["import", "--dry-run", "-"], good.to_string()).exited(1);
    assert!(tried.stderr.contains("line 1: id: already exists"), "{}", tried.stderr);
}

#[test]
fn a_photo_that_is_there_comes_with_its_user() {
    let running = Running::with([]);
    let photo = include_bytes!("../postgres/same/picture.png");
    let path = format!("/users/{}/photo", company::GUARD);
    let user = running.admin.upload(&path, photo).ok();
    let photo_id = user["photoId"].as_str().expect("a photo").to_owned();
    let exported = running.exported();
    assert!(exported.contains(&format!("\"photoId\":\"{photo_id}\"")), "{exported}");

    let without = Store::empty();
    let imported = without.run_with(&["import", "-"], exported.clone()).exited(0);
    let said = "1 users have a photo that is not in the photo store, so it is left out";
    assert!(imported.stderr.contains(said), "{}", imported.stderr);
    assert!(!without.run(&["export", "-"]).exited(0).stdout.contains(&photo_id));

    let second = Store::empty();
    fs::create_dir_all(second.path("data/photos")).unwrap();
    let object = |store: &Store| store.path("data/photos").join(&photo_id);
    fs::copy(object(&running.store), object(&second)).unwrap();
    let _ = second.run_with(&["import", "-"], exported.clone()).exited(0);
    let second = Running::on(second);
    assert_eq!(second.exported(), exported);
    assert_eq!(second.admin.get(&path).body, running.admin.get(&path).body);
}
