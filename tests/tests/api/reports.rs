//! Reports: what happened on a round, entry by entry.

use patrol_tests::{
    Answer, Api, DataSet, Running, Store,
    company::{EMPLOYEE, GUARD, MANAGER, NOBODY, PIER, company},
    detail, execution_id, planned, with,
};
use serde_json::{Value, json};

const STARTED: &str = "2026-01-31T08:01:00.000Z";

/// The id of the entry `n`.
fn entry_id(n: u32) -> String {
    format!("0190a000-000c-7000-8000-{n:012x}")
}

fn entry(n: u32, kind: &str, members: Value) -> Value {
    with(json!({ "id": entry_id(n), "type": kind, "at": STARTED }), members)
}

fn path(execution: u32) -> String {
    format!("/task-executions/{}/reports", execution_id(execution))
}

fn step(n: u32) -> String {
    patrol_tests::step_id(1, n)
}

fn action(n: u32) -> String {
    patrol_tests::action_id(1, n)
}

fn report(api: &Api, entries: &[Value]) -> Answer {
    api.post(&path(1), &json!(entries))
}

/// The outcome and the code of each entry.
fn outcomes(answer: &Value) -> Vec<(&str, Option<&str>)> {
    let entries = answer["entries"].as_array().expect("entries");
    let outcomes = entries.iter();
    outcomes.map(|entry| (entry["outcome"].as_str().unwrap(), entry["code"].as_str())).collect()
}

fn accepted(api: &Api, entries: &[Value]) -> Value {
    let answer = report(api, entries).ok();
    for (outcome, code) in outcomes(&answer) {
        assert_eq!((outcome, code), ("ACCEPTED", None), "{answer}");
    }
    answer
}

fn verdicts(answer: &Value, at: usize) -> Vec<(&str, Vec<&str>)> {
    let verdicts = answer["entries"][at]["verdicts"].as_array().expect("verdicts");
    verdicts
        .iter()
        .map(|verdict| {
            assert!(!verdict["message"].as_str().unwrap().is_empty());
            let args = verdict["args"].as_array().unwrap().iter();
            (verdict["code"].as_str().unwrap(), args.map(|arg| arg.as_str().unwrap()).collect())
        })
        .collect()
}

fn scan(n: u32, of: u32, code: Value) -> Value {
    entry(n, "SCAN", json!({ "stepId": step(of), "technology": "QR", "code": code }))
}

/// A whole round: all actions but the photo, which is required.
fn whole() -> Vec<Value> {
    vec![
        entry(1, "START", json!({})),
        scan(2, 1, json!(null)),
        entry(
            3,
            "RESULT",
            json!({ "stepId": step(1), "actionId": action(1), "booleanValue": true }),
        ),
        entry(
            4,
            "RESULT",
            json!({ "stepId": step(1), "actionId": action(2), "numberValue": 2.25 }),
        ),
        entry(5, "NOTE", json!({ "textValue": "Rain" })),
        scan(6, 2, json!("GATE")),
        entry(7, "RESULT", json!({ "stepId": step(2), "actionId": action(3), "textValue": "dry" })),
        entry(8, "FINISH_STEP", json!({ "stepId": step(2), "at": "2026-01-31T08:20:00Z" })),
        entry(9, "COMPLETE", json!({ "at": "2026-01-31T08:30:00.5Z" })),
    ]
}

#[test]
fn a_round_is_walked_and_read_back() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    let answer = accepted(&guard, &whole());
    assert_eq!(
        (&answer["execution"]["state"], &answer["execution"]["performerId"]),
        (&json!("COMPLETED"), &json!(GUARD))
    );
    // Every entry arrives more than a day late.
    assert_eq!(answer["execution"]["flagCount"], json!(9));
    let round = running.read(1);
    assert_eq!((&round["startedAt"], &round["flagCount"]), (&json!(STARTED), &json!(9)));
    assert_eq!(round["endedAt"], json!("2026-01-31T08:30:00.500Z"));
    assert_eq!(round["edited"], json!(false));
    let (first, second) = (&round["steps"][0], &round["steps"][1]);
    assert_eq!((&first["state"], &first["actualOrder"]), (&json!("COMPLETED"), &json!(1)));
    assert_eq!((&second["state"], &second["actualOrder"]), (&json!("COMPLETED"), &json!(2)));
    assert_eq!((&first["startedAt"], &first["endedAt"]), (&json!(STARTED), &json!(STARTED)));
    assert_eq!(second["endedAt"], json!("2026-01-31T08:20:00.000Z"));
    assert_eq!(first["actions"][1]["numberValue"], json!(2.25));
    assert_eq!(second["actions"][1]["status"], json!("ERROR"));

    let listed = running.api(EMPLOYEE).get(&path(1)).ok();
    assert_eq!((&listed["meta"]["sort"], &listed["meta"]["count"]), (&json!([]), &json!(9)));
    let types = listed["data"].as_array().unwrap().iter().map(|entry| entry["type"].clone());
    let sent: Vec<_> = whole().iter().map(|entry| entry["type"].clone()).collect();
    assert_eq!(types.collect::<Vec<_>>(), sent);
    let note = &listed["data"][4];
    assert_eq!(
        (&note["textValue"], &note["userId"], &note["outcome"], &note["refusal"]),
        (&json!("Rain"), &json!(GUARD), &json!("ACCEPTED"), &Value::Null)
    );
    assert_eq!(note["verdicts"][0]["code"], json!("late.upload"));
    let found = |query: &str| running.admin.get(&format!("{}?{query}", path(1))).ok();
    assert_eq!(found("type=in:SCAN,NOTE")["meta"]["count"], json!(3));
    assert_eq!(found(&format!("stepId={}", step(2)))["meta"]["count"], json!(3));
    assert_eq!(found("outcome=REFUSED")["meta"]["count"], json!(0));
    assert_eq!(found("flagged=true&sort=at,desc")["data"][0]["type"], json!("COMPLETE"));

    let flagged = |flag: bool| {
        running.admin.get(&format!("/task-executions/info?flagged={flag}&sort=flagCount,desc")).ok()
    };
    assert_eq!(flagged(true)["data"][0]["flagCount"], json!(9));
    assert_eq!(flagged(false)["meta"]["count"], json!(0));

    let events = running.admin.get("/events?type=taskExecution.reported").ok();
    let events = events["data"].as_array().unwrap();
    assert_eq!(events.len(), 9);
    let change = &events[0]["changes"][0];
    assert_eq!((&change["member"], &change["before"]), (&json!("entry"), &Value::Null));
    assert_eq!(change["after"]["id"], json!(entry_id(1)));
}

#[test]
fn an_entry_takes_effect_once_however_often_it_is_sent() {
    let running = Running::with([planned(1), planned(2)]);
    let guard = running.api(GUARD);
    let all = whole();
    let first = accepted(&guard, &all[..3]);
    let etag = guard.get(&format!("/task-executions/{}", execution_id(1))).etag();
    let again = report(&guard, &all[..3]).ok();
    assert_eq!(outcomes(&again), [("DUPLICATE", None); 3]);
    assert_eq!(again["entries"][1]["verdicts"], first["entries"][1]["verdicts"]);
    let unchanged = guard.get(&format!("/task-executions/{}", execution_id(1))).etag();
    assert_eq!(unchanged, etag);
    let rest = report(&guard, &all).ok();
    assert_eq!(outcomes(&rest)[2..4], [("DUPLICATE", None), ("ACCEPTED", None)]);
    let twice = entry(20, "NOTE", json!({ "textValue": "twice" }));
    let answer = report(&guard, &[twice.clone(), twice]).ok();
    assert_eq!(outcomes(&answer), [("ACCEPTED", None), ("DUPLICATE", None)]);

    let other = entry(5, "NOTE", json!({ "textValue": "Snow" }));
    let conflict = ("REFUSED", Some("report.id.conflict"));
    assert_eq!(outcomes(&report(&guard, &[other]).ok()), [conflict]);
    let elsewhere = guard.post(&path(2), &json!([all[0]])).ok();
    assert_eq!(outcomes(&elsewhere), [conflict]);
    assert_eq!(running.admin.get(&path(2)).ok()["meta"]["count"], json!(0));
    assert_eq!(running.admin.get(&path(1)).ok()["meta"]["count"], json!(10));
}

#[test]
fn a_refused_entry_keeps_its_place_and_is_tried_again() {
    let running = Running::with([planned(1), planned(2)]);
    let guard = running.api(GUARD);
    let result = |n: u32, members: Value| {
        let members = with(json!({ "stepId": step(1), "actionId": action(1) }), members);
        entry(n, "RESULT", members)
    };
    let early = scan(1, 1, json!("X"));
    let refused = |answer: &Answer, code: &str| {
        assert_eq!(outcomes(&answer.ok()), [("REFUSED", Some(code))]);
        assert_eq!(answer.ok()["entries"][0]["verdicts"], json!([]));
    };
    refused(&report(&guard, std::slice::from_ref(&early)), "state.not.allowed");
    accepted(&guard, &[entry(2, "START", json!({}))]);
    refused(&report(&guard, &[entry(3, "START", json!({}))]), "state.not.allowed");
    let unknown = entry(4, "FINISH_STEP", json!({ "stepId": NOBODY }));
    refused(&report(&guard, &[unknown]), "validation.reference.failed");
    let of_another_round =
        entry(8, "FINISH_STEP", json!({ "stepId": patrol_tests::step_id(2, 1) }));
    refused(&report(&guard, &[of_another_round]), "validation.reference.failed");
    assert_eq!(running.read(2)["steps"][0]["state"], "PENDING");
    let other = result(5, json!({ "actionId": action(3), "textValue": "of another step" }));
    refused(&report(&guard, &[other]), "validation.reference.failed");
    refused(&report(&guard, &[result(6, json!({ "numberValue": 1 }))]), "validation.value.failed");
    let both = json!({ "numberValue": 1, "booleanValue": true });
    refused(&report(&guard, &[result(7, both)]), "validation.value.failed");
    accepted(&guard, &[early]);
    let listed = running.admin.get(&path(1)).ok();
    let ids = listed["data"].as_array().unwrap().iter().map(|entry| entry["id"].clone());
    let expected = [1, 2, 3, 4, 8, 5, 6, 7].map(|n| json!(entry_id(n)));
    assert_eq!(ids.collect::<Vec<_>>(), expected);
    assert_eq!(
        (&listed["data"][0]["outcome"], &listed["data"][2]["refusal"]["code"]),
        (&json!("ACCEPTED"), &json!("state.not.allowed"))
    );
    let russian = guard.with("Accept-Language", "ru");
    let (listed, note) = (russian.get(&path(1)), entry(9, "NOTE", json!({ "textValue": "seen" })));
    for answer in [&listed, &report(&russian, &[note])] {
        let said = (answer.header("Content-Language"), answer.header("Vary"));
        assert_eq!(said, (Some("ru"), Some("Accept-Language")));
    }
    let message = &listed.ok()["data"][2]["refusal"]["message"];
    assert_eq!(*message, json!("недопустимо в этом состоянии"));
}

/// The revision of the list is stored last on SQLite, and the events are on PostgreSQL. Without their table, neither
/// the entries nor the round may change.
#[test]
fn a_report_that_cannot_be_stored_whole_changes_nothing() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    accepted(&guard, &[entry(1, "START", json!({}))]);
    let before = running.admin.get(&format!("/task-executions/{}", execution_id(1)));
    let last = if running.store.url().starts_with("sqlite:") { "revision" } else { "events" };
    running.store.execute(&format!("ALTER TABLE {last} RENAME TO hidden"));
    let note = entry(10, "NOTE", json!({ "textValue": "seen" }));
    let rest = [&whole()[1..], &[note]].concat();
    // One shares a transaction with others on PostgreSQL, and nine do not.
    for entries in [&rest[..1], &rest] {
        let answer = report(&guard, entries);
        assert!(answer.status >= 500, "{} {}", answer.status, answer.text());
    }
    running.store.execute(&format!("ALTER TABLE hidden RENAME TO {last}"));
    let after = running.admin.get(&format!("/task-executions/{}", execution_id(1)));
    assert_eq!((after.etag(), after.ok()), (before.etag(), before.ok()));
    assert_eq!(running.admin.get(&path(1)).ok()["meta"]["count"], 1);
    accepted(&guard, &rest);
}

/// Walks round 1 with odd and refused entries, and adds a note to round 2.
fn walked() -> Running {
    let running = Running::with([planned(1), planned(2)]);
    let guard = running.api(GUARD);
    let note = |n: u32, text: &str| entry(n, "NOTE", json!({ "textValue": text }));
    let _ = guard.post(&path(2), &json!([note(30, "Ворота закрыты")])).ok();
    let early = scan(20, 2, json!("X"));
    let far = json!({ "position": { "latitude": -1.5, "longitude": 0, "accuracy": 7.25 } });
    let lost = json!({ "stepId": NOBODY, "at": "2026-01-31T08:02:00Z" });
    let mut all = whole();
    all.insert(0, early.clone());
    all.insert(3, with(note(19, &"é".repeat(10_000)), far));
    all.insert(5, entry(18, "FINISH_STEP", lost));
    let _ = report(&guard, &all).ok();
    running
}

#[test]
fn reports_move_with_an_export() {
    let first = walked();
    let exported = first.exported();
    let second = Store::empty();
    let _ = second.run_with(&["import", "-"], exported.clone()).exited(0);
    let second = Running::on(second);
    assert_eq!(second.exported(), exported);
    for round in [1, 2] {
        let list = |running: &Running| running.admin.get(&path(round)).ok();
        assert_eq!(list(&second), list(&first));
        assert_eq!(second.read(round), first.read(round));
        assert_eq!(second.summary(round)["flagCount"], first.summary(round)["flagCount"]);
    }
    let round = second.read(1);
    assert_eq!(round["steps"][1]["endedAt"], json!("2026-01-31T08:20:00.000Z"));
    assert!(round["flagCount"].as_i64() > Some(9), "{round}");
    let events = second.admin.get("/events?type=dataSet.imported").ok();
    let counts = events["data"][0]["changes"].as_array().unwrap();
    assert!(counts.contains(&json!({ "member": "report", "before": null, "after": 13 })));
    // A device that got no answer from the old store asks the new one.
    let again = report(&second.api(GUARD), &whole()).ok();
    assert_eq!(outcomes(&again), [("DUPLICATE", None); 9]);
    let note = entry(40, "NOTE", json!({ "at": "2026-01-31T08:29:00Z" }));
    let answer = accepted(&second.api(GUARD), &[note]);
    assert!(verdicts(&answer, 0).contains(&("clock.backwards", vec![])), "{answer}");
}

#[test]
fn an_entry_that_cannot_be_imported_is_named() {
    let walked = walked();
    let before = walked.exported();
    let listed = walked.admin.get(&path(1)).ok()["data"][1].clone();
    let line = |changes: Value| {
        let kind = json!({ "kind": "report", "taskExecutionId": execution_id(1) });
        with(with(listed.clone(), kind), with(json!({ "id": entry_id(50) }), changes))
    };
    for (changes, message) in [
        (json!({ "id": entry_id(1) }), "id: already exists".to_owned()),
        (
            json!({ "taskExecutionId": NOBODY }),
            format!("taskExecutionId: there is no task execution {NOBODY}"),
        ),
        (json!({ "outcome": "REFUSED" }), "refusal: must not be null".to_owned()),
        (json!({ "colour": "red" }), "colour: unknown member".to_owned()),
        (json!({ "receivedAt": null }), "receivedAt: must not be null".to_owned()),
    ] {
        let good = line(json!({ "id": entry_id(51) }));
        let outcome = walked.store.import(&DataSet::new([good, line(changes)])).exited(1);
        let place = format!("line 2: {message}");
        assert!(outcome.stderr.contains(&place), "not {place}: {}", outcome.stderr);
    }
    assert_eq!(walked.exported(), before);
    // What the API lists is a line as it is; users, media, steps and actions need not exist.
    let gone = json!({ "userId": NOBODY, "performerId": NOBODY, "stepId": NOBODY });
    let _ = walked.store.import(&DataSet::new([line(gone)])).exited(0);
    assert_eq!(walked.admin.get(&path(1)).ok()["meta"]["count"], json!(13));
}

#[test]
fn a_fault_of_form_refuses_all_entries() {
    let running = Running::with([planned(1)]);
    let start = entry(1, "START", json!({}));
    let send = |other: Value| report(&running.admin, &[start.clone(), other]);
    send(json!({})).invalid(&[
        detail("validation.notnull.failed", "[1].id", &[]),
        detail("validation.notnull.failed", "[1].type", &[]),
        detail("validation.notnull.failed", "[1].at", &[]),
    ]);
    send(entry(2, "SCAN", json!({}))).invalid(&[
        detail("validation.notnull.failed", "[1].stepId", &[]),
        detail("validation.notnull.failed", "[1].technology", &[]),
    ]);
    let result = json!({ "stepId": step(1), "actionId": action(1) });
    send(entry(2, "RESULT", result)).invalid(&[detail("validation.notnull.failed", "[1]", &[])]);
    send(entry(2, "NOTE", json!({ "mediaIds": [NOBODY] }))).invalid(&[detail(
        "validation.reference.failed",
        "[1].mediaIds[0]",
        &[],
    )]);
    let long = json!({ "textValue": "é".repeat(10_001) });
    send(entry(2, "NOTE", long)).invalid(&[detail(
        "validation.length.failed",
        "[1].textValue",
        &["0", "10000"],
    )]);
    let nowhere = json!({ "position": { "latitude": 91, "longitude": 0, "accuracy": -1 } });
    let answer = send(entry(2, "NOTE", nowhere)).refused(400, "validation.failed");
    assert_eq!(answer.body["details"].as_array().unwrap().len(), 2);
    send(entry(2, "NOTE", json!({ "at": "now" }))).misunderstood(&[detail(
        "data.type.invalid",
        "[1].at",
        &["TIMESTAMP"],
    )]);
    report(&running.admin, &[]).invalid(&[detail("validation.length.failed", "", &["1", "1000"])]);
    assert_eq!(running.admin.get(&path(1)).ok()["meta"]["count"], json!(0));
    assert_eq!(running.read(1)["state"], json!("PENDING"));
}

#[test]
fn only_those_who_may_walk_a_round_report_on_it() {
    let nobody = with(planned(2), json!({ "assigneeIds": [] }));
    let others = with(planned(1), json!({ "assigneeIds": [GUARD] }));
    let running = Running::with([others, nobody]);
    let note = |n: u32| json!([entry(n, "NOTE", json!({ "textValue": "seen" }))]);
    let employee = running.api(EMPLOYEE);
    let _ = employee.post(&path(1), &note(1)).refused(403, "access.denied");
    let _ = employee.post(&path(2), &note(1)).ok();
    let _ = running.api(GUARD).post(&path(1), &note(2)).ok();
    let _ = running.api(MANAGER).post(&path(1), &note(3)).ok();
    let start = |performer: &str| json!([entry(9, "START", json!({ "performerId": performer }))]);
    let _ = employee.post(&path(2), &start(GUARD)).refused(403, "access.denied");
    running.admin.post(&path(2), &start(NOBODY)).invalid(&[detail(
        "validation.reference.failed",
        "[0].performerId",
        &[],
    )]);
    let _ = running.admin.post(&path(2), &start(GUARD)).ok();
    assert_eq!(running.read(2)["performerId"], json!(GUARD));
    let missing = format!("/task-executions/{NOBODY}/reports");
    let _ = employee.post(&missing, &note(4)).refused(404, "not.found");
    let _ = employee.get(&missing).refused(404, "not.found");
}

#[test]
fn verdicts_say_what_is_odd() {
    let running = Running::with([with(planned(1), json!({ "strictTimeRequired": true }))]);
    let point = format!("/locations/points/{PIER}");
    let place = json!({ "qrCode": "PIER-1", "latitude": 53.5, "longitude": 10.0 });
    let _ = running.admin.put(&point, &with(running.admin.get(&point).ok(), place)).ok();
    let at = |longitude: f64| json!({ "latitude": 53.5, "longitude": longitude, "accuracy": 20 });
    let with_place = |entry: Value, longitude: f64, time: &str| {
        with(entry, json!({ "position": at(longitude), "at": time }))
    };
    accepted(&running.admin, &[entry(1, "START", json!({}))]);
    // 0.01 degrees of longitude are 661 m here.
    let far = with_place(scan(2, 2, json!("OTHER")), 10.01, "2026-01-31T08:00:00Z");
    let odd = accepted(&running.admin, &[far]);
    let late = ("late.upload", vec![]);
    assert_eq!(
        verdicts(&odd, 0),
        [
            ("presence.code.mismatch", vec![]),
            ("presence.distance", vec!["661", "120"]),
            ("order.violated", vec![]),
            ("clock.backwards", vec![]),
            late.clone(),
        ]
    );
    let fast = with_place(scan(3, 2, json!(null)), 10.0, "2026-01-31T09:00:00.001Z");
    let fast = with(fast, json!({ "at": "2026-01-31T08:00:10Z" }));
    let odd = accepted(&running.admin, &[fast]);
    assert_eq!(
        verdicts(&odd, 0),
        [
            ("presence.code.missing", vec![]),
            ("presence.speed", vec!["238"]),
            ("order.violated", vec![]),
            late.clone(),
        ]
    );
    let note = |n: u32, time: &str| entry(n, "NOTE", json!({ "at": time }));
    let odd = accepted(
        &running.admin,
        &[note(4, "2026-01-31T09:00:00.001Z"), note(5, "9999-12-31T23:59:59Z")],
    );
    assert_eq!(verdicts(&odd, 0), [("time.late", vec![]), late]);
    assert_eq!(verdicts(&odd, 1), [("time.late", vec![]), ("clock.ahead", vec![])]);
    let odd = accepted(&running.admin, &[note(6, "2026-01-31T07:59:59.999Z")]);
    assert_eq!(verdicts(&odd, 0)[0], ("time.early", vec![]));
}

#[test]
fn the_radius_of_presence_is_a_setting() {
    let store = Store::with(&company().and([planned(1)]));
    let running = Running::set(store, &[("PATROL_PRESENCE_RADIUS", "600")]);
    let point = format!("/locations/points/{PIER}");
    let place = json!({ "qrCode": null, "latitude": 53.5, "longitude": 10.0 });
    let _ = running.admin.put(&point, &with(running.admin.get(&point).ok(), place)).ok();
    // 661 and 595 m away.
    let from = |n: u32, longitude: f64| {
        let position = json!({ "latitude": 53.5, "longitude": longitude });
        with(scan(n, 2, json!(null)), json!({ "position": position }))
    };
    let entries = [entry(1, "START", json!({})), from(2, 10.01), from(3, 10.009)];
    let answer = accepted(&running.admin, &entries);
    assert_eq!(verdicts(&answer, 1)[0], ("presence.distance", vec!["661", "600"]));
    assert!(verdicts(&answer, 2).iter().all(|(code, _)| *code != "presence.distance"), "{answer}");
}

#[test]
fn a_thousand_entries_are_one_request() {
    let running = Running::with([planned(1)]);
    let notes = |until: u32| (1..=until).map(|n| entry(n, "NOTE", json!({}))).collect::<Vec<_>>();
    let too_many = report(&running.admin, &notes(1_001));
    too_many.invalid(&[detail("validation.length.failed", "", &["1", "1000"])]);
    assert_eq!(running.admin.get(&path(1)).ok()["meta"]["count"], json!(0));
    let all = accepted(&running.admin, &notes(1_000));
    assert_eq!(all["entries"].as_array().map(Vec::len), Some(1_000));
    assert_eq!(running.admin.get(&path(1)).ok()["meta"]["count"], json!(1_000));
}

#[test]
fn refused_entries_leave_the_round_as_it_was() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    let round = format!("/task-executions/{}", execution_id(1));
    let before = guard.get(&round).etag();
    let all = report(&guard, &[scan(1, 1, json!("X")), entry(2, "COMPLETE", json!({}))]).ok();
    assert_eq!(outcomes(&all), [("REFUSED", Some("state.not.allowed")); 2]);
    for entry in all["entries"].as_array().unwrap() {
        assert_eq!(entry["message"], json!("not allowed in this state"));
    }
    assert_eq!(guard.get(&round).etag(), before);
    let events = running.admin.get("/events?type=taskExecution.reported").ok();
    assert_eq!(events["data"], json!([]));
}

#[test]
fn an_entry_is_the_same_whoever_sends_it() {
    let running = Running::with([planned(1)]);
    let start = [entry(1, "START", json!({}))];
    let _ = accepted(&running.api(GUARD), &start);
    for other in [MANAGER, GUARD] {
        assert_eq!(outcomes(&report(&running.api(other), &start).ok()), [("DUPLICATE", None)]);
    }
    assert_eq!(running.read(1)["performerId"], json!(GUARD));
}

#[test]
fn who_walks_a_round_may_be_named() {
    let running = Running::with([planned(1), planned(2)]);
    let start = |performer: &str| json!([entry(1, "START", json!({ "performerId": performer }))]);
    let _ = running.api(GUARD).post(&path(1), &start(GUARD)).ok();
    assert_eq!(running.read(1)["performerId"], json!(GUARD));
    let other = json!([entry(2, "START", json!({ "performerId": EMPLOYEE }))]);
    let _ = running.api(MANAGER).post(&path(2), &other).ok();
    assert_eq!(running.read(2)["performerId"], json!(EMPLOYEE));
}

#[test]
fn hostile_values_are_refused_or_harmless() {
    let running = Running::with([planned(1)]);
    let note = |members: Value| report(&running.admin, &[entry(1, "NOTE", members)]);
    let wrong = |identifier: &str, kind: &str| detail("data.type.invalid", identifier, &[kind]);
    for nan in ["NaN", "1"] {
        let position = json!({ "latitude": nan, "longitude": 0, "accuracy": nan });
        note(json!({ "position": position })).misunderstood(&[
            wrong("[0].position.latitude", "NUMBER"),
            wrong("[0].position.accuracy", "NUMBER"),
        ]);
    }
    note(json!({ "type": "START\u{202e}" })).invalid(&[detail(
        "validation.enum.failed",
        "[0].type",
        &["START", "SCAN", "RESULT", "FINISH_STEP", "NOTE", "COMPLETE"],
    )]);
    let far = entry(1, "START", json!({ "at": "0001-01-01T00:00:00Z" }));
    let farther = entry(2, "COMPLETE", json!({ "at": "9999-12-31T23:59:59.999Z" }));
    let answer = accepted(&running.admin, &[far, farther]);
    assert_eq!(answer["execution"]["endedAt"], json!("9999-12-31T23:59:59.999Z"));
    assert_eq!(running.read(1)["startedAt"], json!("0001-01-01T00:00:00.000Z"));
    assert_eq!(running.admin.get(&path(1)).ok()["data"][1]["at"], answer["execution"]["endedAt"]);
}

/// A device that is offline sends what it has, again and again, and so does a second one. Entries are taken
/// once, whatever part of the round a request has.
#[test]
fn parts_that_two_devices_send_again_take_effect_once() {
    let running = Running::with([planned(1)]);
    let guard = running.api(GUARD);
    let entries = whole();
    let walked = &entries[..entries.len() - 1];
    std::thread::scope(|scope| {
        for device in 0..2_usize {
            let guard = &guard;
            scope.spawn(move || {
                for round in 0..12 {
                    // Prefixes, suffixes and the whole, in another order on each device.
                    let at = (round * 5 + device * 3) % walked.len();
                    let part = match (round + device) % 3 {
                        0 => &walked[..=at],
                        1 => &walked[at..],
                        _ => walked,
                    };
                    let _ = report(guard, part).ok();
                }
            });
        }
    });
    let answer = report(&guard, &entries).ok();
    for (outcome, code) in outcomes(&answer) {
        assert!(["ACCEPTED", "DUPLICATE"].contains(&outcome), "{code:?} {answer}");
    }
    assert_eq!(answer["execution"]["state"], json!("COMPLETED"));
    let listed = running.admin.get(&path(1)).ok();
    let mut ids: Vec<_> =
        listed["data"].as_array().unwrap().iter().map(|of| of["id"].clone()).collect();
    ids.sort_unstable_by_key(ToString::to_string);
    assert_eq!(ids, (1..=9).map(entry_id).collect::<Vec<_>>());
    let events = running.admin.get("/events?type=taskExecution.reported&limit=1000").ok();
    assert_eq!(events["data"].as_array().map(Vec::len), Some(9));
    let round = running.read(1);
    assert_eq!(round["flagCount"], json!(9));
    assert_eq!(round["steps"][0]["actions"][1]["numberValue"], json!(2.25));
    assert_eq!(round["steps"][1]["state"], json!("COMPLETED"));
}
