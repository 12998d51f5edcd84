//! A series update changes the plan of the rounds that do not exist yet.

use std::collections::BTreeSet;

use patrol_tests::{
    Api, Running, Server, Store,
    company::{self, ADMIN},
    detail,
    round::{rounds, scheduled, starts},
    with,
};
use serde_json::{Value, json};

use crate::rounds::{at_least, daily, execution, path};

/// A server of this store that makes rounds so long before they start.
fn serving(store: &Store, horizon: &str) -> (Server, Api) {
    let mut command = store.command(&["serve"]);
    command.env("PATROL_SCHEDULE_HORIZON", horizon);
    let server = Server::run(command);
    let api = server.api().with_token(&store.token(ADMIN));
    (server, api)
}

/// The body of a series update of this execution: as it is, at another time of its day.
fn moved(api: &Api, round: &Value, times: [&str; 2], members: Value) -> Value {
    let full = api.get(&execution(round)).ok();
    let day = full["startAt"].as_str().unwrap().get(..10).unwrap().to_owned();
    let [start, end] = times.map(|time| format!("{day}T{time}:00Z"));
    with(with(full, json!({ "startAt": start, "endAt": end })), members)
}

fn series(round: &Value) -> String {
    format!("{}/series", execution(round))
}

#[test]
fn rounds_that_are_made_later_follow_an_update_of_their_series() {
    let store = Store::with(&company::company());
    let (server, api) = serving(&store, "14d");
    let task = api.post("/scheduled-tasks", &daily()).json(201);
    let all = at_least(&api, "Daily", 14);
    let made = &all[all.len() - 14..];
    api.delete(&execution(&made[7])).is_bare(204);

    let body = moved(&api, &made[5], ["13:30", "14:15"], json!({ "name": "Noon", "tags": [] }));
    let answer = api.put(&series(&made[5]), &body);
    let request = answer.header("X-Request-Id").expect("a request id").to_owned();
    let split = answer.ok();
    assert_eq!(split["updatingSeriesId"], task["seriesId"]);
    let changed = api.get(&path(&task)).ok();
    let day = made[5]["startAt"].as_str().unwrap().get(..10).unwrap();
    let schedule = json!({ "start": format!("{day}T13:30:00"), "durationMinutes": 45 });
    let expected = json!({
        "name": "Noon", "tags": [], "seriesId": split["createdSeriesId"],
        "schedule": with(task["schedule"].clone(), schedule), "nextStartAt": body["startAt"]
    });
    let expected = with(task.clone(), expected);
    assert_eq!(
        with(changed.clone(), json!({ "nextStartAt": null })),
        with(expected, json!({ "nextStartAt": null }))
    );
    let events = api.get(&format!("{}/events", path(&task))).ok();
    let event = &events["data"][1];
    assert_eq!(
        (&event["type"], &event["requestId"]),
        (&json!("scheduledTask.updated"), &json!(request))
    );

    // No round is made twice, and none is deleted.
    let noon = at_least(&api, "Noon", 8);
    assert_eq!(noon.len(), 8, "without the deleted one");
    drop(server);
    // 21 days, and the 90 minutes by which the rounds moved: 7 more rounds at any hour of the day.
    let (_server, api) = serving(&store, "30330m");
    let noon = at_least(&api, "Noon", 15);
    assert!(starts(&noon).iter().all(|start| start.ends_with("T13:30:00.000Z")), "{noon:?}");
    assert!(starts(&noon).iter().all(|start| !start.starts_with(&day_of(&made[7]))));
    let full = |round: &Value| {
        let none = json!({ "id": null, "startAt": null, "endAt": null, "edited": null });
        let mut full = with(api.get(&execution(round)).ok(), none);
        for step in full["steps"].as_array_mut().unwrap() {
            step["id"].take();
            step["actions"].as_array_mut().unwrap().iter_mut().for_each(|action| {
                action["id"].take();
            });
        }
        full
    };
    assert_eq!(full(&noon[14]), full(&noon[0]));
    let before = rounds(&api, "Daily");
    assert_eq!(before.len(), all.len() - 9);
    assert!(before.iter().all(|round| round["seriesId"] == task["seriesId"]));

    // Another change of the plan changes those that were made from it, and leaves the earlier ones.
    let renamed = with(changed, json!({ "name": "Late" }));
    let _ = api.put(&path(&task), &renamed).ok();
    assert!(at_least(&api, "Late", 7).len() <= 8);
    assert_eq!(rounds(&api, "Daily"), before);
    assert_eq!(rounds(&api, "Noon").len(), 8);
}

fn day_of(round: &Value) -> String {
    round["startAt"].as_str().unwrap().get(..10).unwrap().to_owned()
}

#[test]
fn a_dry_run_tells_what_an_update_of_a_series_would_do() {
    let running = Running::with([]);
    let admin = &running.admin;
    let task = admin.post("/scheduled-tasks", &daily()).json(201);
    let all = at_least(admin, "Daily", 14);
    let made = &all[all.len() - 14..];
    let events = || admin.get("/events?limit=1000").ok()["next"].clone();
    let stored =
        || (admin.get(&path(&task)).etag(), admin.get(&execution(&made[3])).etag(), events());
    let before = stored();
    let body = moved(admin, &made[3], ["09:00", "10:00"], json!({}));
    let path = format!("{}?dryRun=true", series(&made[3]));
    let answer = admin.put(&path, &body);
    assert_eq!(answer.header("Patrol-Dry-Run"), Some("true"));
    let at = |round: &Value, time: &str| format!("{}T{time}:00.000Z", day_of(round));
    let changed: Vec<_> = made[3..]
        .iter()
        .map(|round| {
            let (start, end) = (at(round, "09:00"), at(round, "10:00"));
            json!({ "id": round["id"], "startAt": start, "endAt": end })
        })
        .collect();
    let expected = json!({ "created": [], "changed": changed, "deleted": [], "kept": [] });
    assert_eq!(answer.ok(), expected);
    // All checks run.
    admin.put(&path, &with(body.clone(), json!({ "seriesId": null }))).misunderstood(&[detail(
        "validation.notnull.failed",
        "seriesId",
        &[],
    )]);
    assert_eq!(admin.with("If-Match", "\"0\"").put(&path, &body).status, 412);
    let wrong = admin.put(&format!("{}?dryRun=yes", series(&made[3])), &body);
    wrong.misunderstood(&[detail("data.type.invalid", "dryRun", &["BOOLEAN"])]);
    assert_eq!(stored(), before);
    // The same in earnest.
    let _ = admin.put(&series(&made[3]), &body).ok();
    let after = rounds(admin, "Daily");
    let times = |round: &Value| json!([round["id"], round["startAt"], round["endAt"]]);
    let of_answer: Vec<_> = changed.iter().map(times).collect();
    assert_eq!(after[after.len() - 11..].iter().map(times).collect::<Vec<_>>(), of_answer);
}

#[test]
fn a_schedule_that_cannot_follow_is_a_fault() {
    let running = Running::with([]);
    let admin = &running.admin;
    let rule = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=2,12,22";
    let task = admin.post("/scheduled-tasks", &scheduled("Thrice", rule)).json(201);
    let made = at_least(admin, "Thrice", 42);
    let is_noon = |made: &&Value| made["startAt"].as_str().unwrap().contains("T12:");
    let noon = made.iter().filter(is_noon).nth(4).expect("a round at noon");
    let fault = detail(
        "validation.rrule.failed",
        "startAt",
        &["no recurrence rule describes the moved times of day"],
    );
    for path in [series(noon), format!("{}?dryRun=true", series(noon))] {
        let body = moved(admin, noon, ["15:00", "15:30"], json!({ "name": null }));
        admin
            .put(&path, &body)
            .misunderstood(&[fault.clone(), detail("validation.notnull.failed", "name", &[])]);
    }
    // An hour later it can.
    let body = moved(admin, noon, ["13:00", "13:30"], json!({}));
    let _ = admin.put(&series(noon), &body).ok();
    let rule = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=3,13,23";
    assert_eq!(admin.get(&path(&task)).ok()["schedule"]["rrule"], rule);
    // The plan of another task is due later.
    let _ = admin.post("/scheduled-tasks", &scheduled("Last", "FREQ=DAILY")).json(201);
    let _ = at_least(admin, "Last", 14);
    let after = starts(&rounds(admin, "Thrice"));
    let (first, _) = body["startAt"].as_str().unwrap().split_once('T').unwrap();
    let days: BTreeSet<_> = after.iter().map(|start| start.get(..10).unwrap()).collect();
    let last = after.last().and_then(|last| last.get(..10)).unwrap();
    for day in days.into_iter().filter(|day| *day > first) {
        let of_day = after.iter().filter(|start| start.starts_with(day));
        let hours: Vec<_> = of_day.map(|start| start.get(11..13).unwrap()).collect();
        let expected = ["03", "13", "23"];
        let is_part = day == last && expected.starts_with(&hours);
        assert!(is_part || hours == expected, "{day}: {hours:?}");
    }
    assert!(after.len() >= made.len(), "{after:?}");
}
