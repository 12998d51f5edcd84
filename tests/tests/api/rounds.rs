//! Rounds are made from the schedules of scheduled tasks, and follow changes of their plan.

use std::{collections::BTreeSet, thread, time::Duration};

use patrol_tests::{
    Api, Running, Server, Store,
    company::{self, ADMIN, CHECK_LIST, GUARD},
    detail,
    round::{DENSE, eventually, rounds, scheduled, starts},
    with,
};
use serde_json::{Value, json};

/// A daily plan with all members.
pub(crate) fn daily() -> Value {
    let step = json!({
        "name": "Gate", "checkListId": CHECK_LIST,
        "actions": [{ "name": "Closed", "type": "BOOLEAN", "required": true }],
    });
    with(
        scheduled("Daily", "FREQ=DAILY"),
        json!({
            "description": "All doors", "assigneeIds": [GUARD], "priority": "MAJOR", "tags": ["day"],
            "orderStepsRequired": true, "strictTimeRequired": true, "deadlined": true,
            "steps": [step],
        }),
    )
}

/// The path of a scheduled task.
pub(crate) fn path(task: &Value) -> String {
    format!("/scheduled-tasks/{}", task["id"].as_str().expect("an id"))
}

/// The path of an execution.
pub(crate) fn execution(round: &Value) -> String {
    format!("/task-executions/{}", round["id"].as_str().expect("an id"))
}

/// The rounds with this name, once there are at least `least`.
pub(crate) fn at_least(api: &Api, name: &str, least: usize) -> Vec<Value> {
    eventually(&format!("{least} rounds {name}"), || {
        Some(rounds(api, name)).filter(|rounds| rounds.len() >= least)
    })
}

#[test]
fn a_schedule_makes_rounds_with_the_content_of_the_plan() {
    let running = Running::with([]);
    let task = running.admin.post("/scheduled-tasks", &daily()).json(201);
    // A day's round may have begun already.
    let made = at_least(&running.admin, "Daily", 14);
    assert!(made.len() <= 15, "{}", made.len());
    assert_eq!(made[made.len() - 14]["startAt"], task["nextStartAt"]);
    for round in &made {
        assert!(round["startAt"].as_str().unwrap().ends_with("T12:00:00.000Z"), "{round}");
        assert!(round["endAt"].as_str().unwrap().ends_with("T12:30:00.000Z"), "{round}");
    }
    let full = running.admin.get(&execution(&made[1])).ok();
    for member in
        ["name", "description", "locationId", "assigneeIds", "priority", "tags", "seriesId"]
    {
        assert_eq!(full[member], task[member], "{member}");
    }
    for member in ["orderStepsRequired", "strictTimeRequired", "deadlined", "published"] {
        assert_eq!(full[member], json!(true), "{member}");
    }
    assert_eq!(full["scheduledTaskId"], task["id"]);
    assert_eq!((&full["state"], &full["performerId"]), (&json!("PENDING"), &Value::Null));
    let steps = full["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &steps[0]["seriesId"]), (1, &task["steps"][0]["id"]));
    let list = running.admin.get(&format!("/check-lists/{CHECK_LIST}")).ok();
    let names = |actions: &Value| {
        let names = actions.as_array().unwrap().iter().map(|action| action["name"].clone());
        names.collect::<Vec<_>>()
    };
    let expected = [vec![json!("Closed")], names(&list["actions"])].concat();
    assert_eq!(names(&steps[0]["actions"]), expected);
    let own = &task["steps"][0]["actions"][0]["id"];
    assert_eq!(&steps[0]["actions"][0]["seriesId"], own);
    let events = running.admin.get(&format!("{}/events", execution(&made[1]))).ok();
    let event = &events["data"][0];
    assert_eq!(
        (&event["type"], &event["actorId"], &event["requestId"]),
        (&json!("taskExecution.created"), &Value::Null, &Value::Null)
    );
}

#[test]
fn rounds_follow_a_changed_plan_unless_they_were_touched() {
    let running = Running::with([]);
    let task = running.admin.post("/scheduled-tasks", &daily()).json(201);
    // Without the one that may be under way.
    let future = |name: &str, least: usize| {
        let all = at_least(&running.admin, name, least);
        all[all.len() - least..].to_vec()
    };
    let made = future("Daily", 14);
    running.admin.delete(&execution(&made[1])).is_bare(204);
    let _ = running.admin.patch(&execution(&made[2]), &json!({ "tags": ["kept"] })).ok();
    let edited = running.admin.get(&execution(&made[2])).ok();

    // New content: the same executions, one event each, all of the request.
    let renamed = with(task.clone(), json!({ "name": "Evening", "published": false }));
    let answer = running.admin.put(&path(&task), &renamed);
    assert_eq!(answer.ok()["name"], "Evening");
    let request = answer.header("X-Request-Id").expect("a request id").to_owned();
    let changed = at_least(&running.admin, "Evening", 12);
    let ids = |rounds: &[Value]| rounds.iter().map(|round| round["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&changed), [ids(&made[..1]), ids(&made[3..])].concat());
    assert_eq!(running.admin.get(&execution(&made[2])).ok(), edited);
    let events = running.admin.get(&format!("{}/events", execution(&made[5]))).ok();
    let event = &events["data"][1];
    assert_eq!(
        (&event["type"], &event["actorId"], &event["requestId"]),
        (&json!("taskExecution.updated"), &json!(ADMIN), &json!(request))
    );
    let full = running.admin.get(&execution(&made[5])).ok();
    assert_eq!((&full["published"], &full["edited"]), (&json!(false), &json!(false)));

    // Another time of day: other occurrences.
    let mut later = with(renamed, json!({ "name": "Night" }));
    later["schedule"]["start"] = "2026-01-01T22:00:00".into();
    let answer = running.admin.put(&path(&task), &later);
    let request = answer.header("X-Request-Id").expect("a request id").to_owned();
    let next_night = answer.ok()["nextStartAt"].as_str().expect("a time").to_owned();
    let night = at_least(&running.admin, "Night", 14);
    let events = running.admin.get(&format!("{}/events", execution(&night[5]))).ok();
    let event = &events["data"][0];
    assert_eq!(
        (&event["type"], &event["actorId"], &event["requestId"]),
        (&json!("taskExecution.created"), &json!(ADMIN), &json!(request))
    );
    let gone = || Some(()).filter(|()| rounds(&running.admin, "Evening").is_empty());
    eventually("the old ones are deleted", gone);
    assert!(starts(&night).iter().all(|start| start.ends_with("T22:00:00.000Z")));
    assert_eq!(rounds(&running.admin, "Daily").last().map(|kept| &kept["id"]), Some(&edited["id"]));

    // The time of before: the deleted one is not made again, nor is the edited one.
    let before = with(task.clone(), json!({ "name": "Again" }));
    let _ = running.admin.put(&path(&task), &before).ok();
    let again = at_least(&running.admin, "Again", 12);
    // Between 22:00 and its end, the night of today has begun and stays.
    eventually("the night is deleted", || {
        let left = rounds(&running.admin, "Night");
        let have_begun = left.iter().all(|round| round["startAt"].as_str() < Some(&*next_night));
        Some(()).filter(|()| have_begun)
    });
    let missing = [&made[1]["startAt"], &made[2]["startAt"]];
    assert!(again.iter().all(|round| !missing.contains(&&round["startAt"])), "{again:?}");

    // Without enabled nothing changes, and a deletion takes along what was not edited.
    let before_off = rounds(&running.admin, "Again");
    let off = with(before, json!({ "enabled": false, "name": "Off" }));
    let _ = running.admin.put(&path(&task), &off).ok();
    let last = scheduled("Last", "FREQ=DAILY");
    let _ = running.admin.post("/scheduled-tasks", &last).json(201);
    let _ = at_least(&running.admin, "Last", 14);
    assert_eq!(rounds(&running.admin, "Again"), before_off);
    assert!(rounds(&running.admin, "Off").is_empty());
    running.admin.delete(&path(&task)).is_bare(204);
    let left: Vec<_> = rounds(&running.admin, "Again");
    let now = task["nextStartAt"].as_str().unwrap();
    assert!(left.iter().all(|round| round["startAt"].as_str().unwrap() < now), "{left:?}");
    assert_eq!(running.admin.get(&execution(&made[2])).ok(), edited);
}

#[test]
fn a_dry_run_tells_what_a_put_would_do() {
    let running = Running::with([]);
    let task = running.admin.post("/scheduled-tasks", &daily()).json(201);
    let all = at_least(&running.admin, "Daily", 14);
    let made = &all[all.len() - 14..];
    running.admin.delete(&execution(&made[1])).is_bare(204);
    let _ = running.admin.patch(&execution(&made[2]), &json!({ "tags": ["kept"] })).ok();
    let events = || running.admin.get("/events?limit=1000").ok()["next"].clone();
    let before = (running.admin.get(&path(&task)).etag(), events());
    let dry_run = |body: &Value| {
        let answer = running.admin.put(&format!("{}?dryRun=true", path(&task)), body);
        assert_eq!(answer.header("Patrol-Dry-Run"), Some("true"));
        answer.ok()
    };
    let part = |round: &Value, end: &str| {
        let start = round["startAt"].as_str().unwrap();
        let end = format!("{}{end}", start.get(..10).unwrap());
        json!({ "id": round["id"], "startAt": start, "endAt": end })
    };
    let parts = |rounds: &[&Value], end: &str| {
        rounds.iter().map(|round| part(round, end)).collect::<Vec<_>>()
    };
    let follows: Vec<_> = made[..1].iter().chain(&made[3..]).collect();

    // Another content and duration.
    let longer = with(task["schedule"].clone(), json!({ "durationMinutes": 45 }));
    let renamed = with(task.clone(), json!({ "name": "Evening", "schedule": longer }));
    let expected = json!({
        "created": [], "changed": parts(&follows, "T12:45:00.000Z"), "deleted": [],
        "kept": parts(&[&made[2]], "T12:30:00.000Z"),
    });
    assert_eq!(dry_run(&renamed), expected);
    // The same plan.
    let kept: Vec<_> = made[..1].iter().chain(&made[2..]).collect();
    let nothing = json!({
        "created": [], "changed": [], "deleted": [], "kept": parts(&kept, "T12:30:00.000Z"),
    });
    assert_eq!(dry_run(&task), nothing);
    assert_eq!(dry_run(&with(task.clone(), json!({ "enabled": false, "name": "Off" }))), nothing);
    // Another time of day: all are replaced but the edited one.
    let mut later = task.clone();
    later["schedule"]["start"] = "2026-01-01T23:59:00".into();
    let result = dry_run(&later);
    assert_eq!(result["deleted"], json!(parts(&follows, "T12:30:00.000Z")));
    assert_eq!(result["kept"], json!(parts(&[&made[2]], "T12:30:00.000Z")));
    let created = result["created"].as_array().unwrap();
    assert_eq!(created.len(), 14);
    assert!(created.iter().all(|round| round["id"].is_null()), "{created:?}");
    // All checks run, nothing is stored.
    let wrong = running.admin.put(&format!("{}?dryRun=true", path(&task)), &json!({}));
    wrong.invalid(&[
        detail("validation.notnull.failed", "locationId", &[]),
        detail("validation.notnull.failed", "name", &[]),
    ]);
    running.admin.put(&format!("{}?dryRun=1", path(&task)), &task).misunderstood(&[detail(
        "data.type.invalid",
        "dryRun",
        &["BOOLEAN"],
    )]);
    let stale = running.admin.with("If-Match", "\"0\"");
    assert_eq!(stale.put(&format!("{}?dryRun=true", path(&task)), &task).status, 412);
    assert_eq!((running.admin.get(&path(&task)).etag(), events()), before);

    // What the dry run said happens.
    let _ = running.admin.put(&path(&task), &later).ok();
    eventually("the new rounds", || {
        let now = starts(&rounds(&running.admin, "Daily"));
        let all = created.iter().all(|round| now.contains(round["startAt"].as_str().unwrap()));
        Some(()).filter(|()| all && !now.contains(made[5]["startAt"].as_str().unwrap()))
    });
}

/// Two rounds are always under way. POST makes them; a PUT that moves them leaves them, and makes none that
/// should have begun already. Its dry run says the same.
#[test]
fn a_put_makes_no_round_that_has_begun() {
    let settings = [("PATROL_SCHEDULE_HORIZON", "1d")];
    let running = Running::set(Store::with(&company::company()), &settings);
    let plan = |name: &str, start: &str| {
        let mut plan = scheduled(name, "FREQ=HOURLY");
        plan["schedule"]["start"] = start.into();
        plan["schedule"]["durationMinutes"] = 120.into();
        plan
    };
    let now = || running.admin.get("/none").json(404)["timestamp"].as_str().unwrap().to_owned();
    let old = plan("Old", "2026-01-01T00:00:00");
    let task = running.admin.post("/scheduled-tasks", &old).json(201);
    let under_way = at_least(&running.admin, "Old", 25)[..2].to_vec();
    let next = task["nextStartAt"].as_str();
    assert!(under_way.iter().all(|round| round["startAt"].as_str() < next), "{under_way:?}");

    let (before, mut moved) = (now(), plan("New", "2026-01-01T00:30:00"));
    let dry_run = running.admin.put(&format!("{}?dryRun=true", path(&task)), &moved).ok();
    let created = dry_run["created"].as_array().expect("created");
    assert!(created.len() >= 23, "{created:?}");
    assert!(created.iter().all(|round| round["startAt"].as_str().unwrap() >= &*before));
    // Nor does a later change of the content make them.
    for name in ["New", "Renamed", "Last"] {
        moved["name"] = name.into();
        let _ = running.admin.put(&path(&task), &moved).ok();
        let made = at_least(&running.admin, name, 23);
        assert!(made.iter().all(|round| round["startAt"].as_str().unwrap() >= &*before), "{name}");
    }
    let left = rounds(&running.admin, "Old");
    assert_eq!(left[..2], under_way);
    assert!(left.iter().all(|round| round["startAt"].as_str() <= next), "{left:?}");
}

#[test]
fn what_was_over_is_not_made_and_the_horizon_is_a_setting() {
    let settings = [("PATROL_SCHEDULE_HORIZON", "2d")];
    let running = Running::set(Store::with(&company::company()), &settings);
    let daily = scheduled("Short", "FREQ=DAILY");
    let task = running.admin.post("/scheduled-tasks", &daily).json(201);
    let once = with(daily.clone(), json!({ "name": "Once" }));
    let over = with(
        once.clone(),
        json!({ "schedule": with(once["schedule"].clone(), json!({ "rrule": null })) }),
    );
    let _ = running.admin.post("/scheduled-tasks", &over).json(201);
    let _ =
        running.admin.post("/scheduled-tasks", &with(daily, json!({ "name": "Last" }))).json(201);
    let made = at_least(&running.admin, "Last", 2);
    assert!(made.len() <= 3, "{made:?}");
    assert_eq!(rounds(&running.admin, "Short").len(), made.len());
    assert!(rounds(&running.admin, "Once").is_empty());
    assert_eq!(made[made.len() - 2]["startAt"], task["nextStartAt"]);
}

#[test]
fn kills_leave_each_occurrence_once() {
    const KILLS: u64 = 20;

    let store = Store::with(&company::company());
    let token = store.token(ADMIN);
    let names = ["One", "Two", "Three"];
    for run in 0..KILLS {
        let server = Server::start(&store);
        let api = server.api().with_token(&token);
        if run == 0 {
            for name in names {
                let _ = api.post("/scheduled-tasks", &scheduled(name, DENSE)).json(201);
            }
        }
        thread::sleep(Duration::from_millis(20 * run));
        server.kill();
    }
    let server = Server::start(&store);
    let api = server.api().with_token(&token);
    let task = api.get("/scheduled-tasks?q=One").ok()["data"][0].clone();
    let _ = api.post("/scheduled-tasks", &scheduled("Last", "FREQ=DAILY")).json(201);
    let _ = at_least(&api, "Last", 14);
    for name in names {
        let made = at_least(&api, name, 14 * 96);
        let starts = starts(&made);
        // None is missing between the first and the last.
        let mut planned = BTreeSet::new();
        while planned.last() < starts.last() {
            let from = planned.last().or(starts.first());
            let question = json!({ "schedule": task["schedule"], "from": from, "limit": 1_000 });
            let answer = api.post("/scheduled-tasks/preview", &question).ok();
            let occurrences = answer["occurrences"].as_array().unwrap().iter();
            planned.extend(occurrences.map(|one| one["startAt"].as_str().unwrap().to_owned()));
        }
        planned.retain(|start| Some(start) <= starts.last());
        assert_eq!(starts, planned, "{name}");
    }
}
