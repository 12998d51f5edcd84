//! `serve --demo`.

use std::{collections::BTreeSet, fs, path::Path, thread, time::Duration};

use patrol_tests::{Api, Server, SiteClient, Store, company, round::eventually};
use serde_json::{Value, json};

/// A demo whose rounds stay as they are.
pub(crate) fn start(store: &Store) -> Server {
    Server::run(store.command(&["serve", "--demo", "--demo-walk=false"]))
}

/// The output of the demo, once it is complete.
pub(crate) fn output(server: &Server) -> String {
    /// How it ends with a token, and without one.
    const ENDS: [&str; 3] = ["limit=3'\n", "issues one.\n", "makes room.\n"];
    for _ in 0..500 {
        let output = server.output();
        if ENDS.iter().any(|end| output.ends_with(end)) {
            return output;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing was printed; the log:\n{}", server.log());
}

pub(crate) fn token(output: &str) -> Option<String> {
    let start = output.find("ptl_")?;
    Some(output[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

fn items(api: &Api, query: &str) -> Vec<Value> {
    let list = api.get(&format!("/task-executions/info?{query}")).ok();
    list["data"].as_array().expect("data").clone()
}

#[test]
fn a_company_is_there_to_be_looked_at() {
    let store = Store::empty();
    let server = start(&store);
    let printed = output(&server);
    assert!(printed.contains(&format!("http://{}/v1", server.address())), "{printed}");
    let token = token(&printed).unwrap_or_else(|| panic!("no token in {printed}"));
    assert!(!server.log().contains(&token[4..]), "the token is not logged");
    let api = server.api().with_token(&token);

    let all = items(&api, "");
    assert!((400..=425).contains(&all.len()), "{}", all.len());
    let values = |member: &str| -> BTreeSet<String> {
        all.iter().map(|item| item[member].to_string()).collect()
    };
    assert_eq!(values("state").len(), 3, "executions in every state");
    assert_eq!(values("status").len(), 4, "errors and warnings among the results, and null");
    assert!(values("priority").len() > 1 && values("published").len() == 2);
    let text = Value::from(all.clone()).to_string();
    let is_cyrillic = |c: char| ('а'..='я').contains(&c);
    let is_latin = |c: char| c.is_ascii_lowercase();
    assert!(text.chars().any(is_cyrillic) && text.chars().any(is_latin), "several languages");

    // Times are relative to now: some rounds are over, others are planned.
    let count = |state: &str| items(&api, &format!("state={state}")).len();
    assert!(count("COMPLETED") > 0 && count("IN_PROGRESS") > 0 && count("PENDING") > 0);
    let record = api.get(&format!("/task-executions/{}", all[0]["id"].as_str().unwrap())).ok();
    assert!(record["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    let series = all.iter().find(|item| item["state"] == "PENDING" && item["seriesId"].is_string());
    assert!(series.is_some(), "a series that can be edited");

    let exported = store.run(&["export", "-"]).exited(0).stdout;
    for (kind, count) in [("location", 12), ("point", 40), ("user", 25), ("scheduledTask", 12)] {
        let found = exported.matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!(found, count, "{kind}");
    }
}

/// The values of a member of these records, in order.
fn texts<'v>(records: impl IntoIterator<Item = &'v Value>, member: &str) -> Vec<&'v str> {
    records.into_iter().map(|record| record[member].as_str().expect("a text")).collect()
}

#[test]
fn rounds_of_every_schedule_are_there_once_and_go_on_to_appear() {
    const OF_DEMO: &str = "0190de30-";

    // Rounds of 14 days are part of the data. What happens on the next two days happens now.
    let store = Store::empty();
    let mut command = store.command(&["serve", "--demo", "--demo-walk=false"]);
    command.env("PATROL_SCHEDULE_HORIZON", "16d");
    let server = Server::run(command);
    let api = server.api().with_token(&token(&output(&server)).expect("a token"));
    let tasks = api.get("/scheduled-tasks").ok()["data"].as_array().expect("tasks").clone();
    let (planned, by_hand): (Vec<_>, Vec<_>) =
        tasks.iter().partition(|task| task["schedule"].is_object());
    assert_eq!((planned.len(), by_hand.len()), (11, 1));
    let zones: BTreeSet<_> =
        planned.iter().map(|task| task["schedule"]["timeZone"].as_str()).collect();
    assert!(zones.len() >= 4, "{zones:?}");

    // A preview tells which occurrences there are.
    let occurrences: Vec<_> = planned
        .iter()
        .map(|task| {
            let schedule = &task["schedule"];
            let question =
                json!({ "schedule": schedule, "from": task["nextStartAt"], "limit": 99 });
            let answer = api.post("/scheduled-tasks/preview", &question).ok();
            let all = answer["occurrences"].as_array().expect("occurrences").clone();
            let start = &schedule["start"].as_str().expect("a start")["2024-01-01".len()..];
            let rule = schedule["rrule"].as_str().expect("a rule");
            if !rule.contains("BYHOUR") {
                let local = texts(&all, "localStart");
                assert!(local.iter().all(|local| local.ends_with(start)), "{local:?}");
            }
            all
        })
        .collect();
    // One schedule has four rounds a day.
    let start_of = |item: &Value| item["startAt"].as_str().expect("a time").to_owned();
    let last = occurrences.iter().map(|all| start_of(&all[62.min(all.len() - 1)])).min();
    let last = last.expect("a schedule");
    let future = eventually("rounds of 16 days", || {
        let future = items(&api, "state=PENDING&sort=startAt");
        let latest = start_of(future.last()?);
        let is_made = |(task, all): (&&Value, &Vec<Value>)| {
            let next = task["nextStartAt"].as_str().expect("a time");
            let of_task = future.iter().filter(|item| item["scheduledTaskId"] == task["id"]);
            let starts = texts(of_task, "startAt");
            let mut starts: Vec<_> = starts.into_iter().filter(|start| *start >= next).collect();
            let mut all = texts(all, "startAt");
            all.retain(|start| *start <= latest.as_str());
            // In order, so an occurrence that exists twice is a difference.
            starts.sort_unstable();
            starts == all
        };
        let are_made = latest >= last && planned.iter().zip(&occurrences).all(is_made);
        are_made.then_some(future)
    });

    // The service has made those of the last days, and none before.
    let is_new = |item: &&Value| !item["id"].as_str().expect("an id").starts_with(OF_DEMO);
    let new: Vec<_> = future.iter().filter(is_new).collect();
    assert!(new.len() > 20, "{}", new.len());
    let old = future.iter().filter(|item| !is_new(item) && item["seriesId"].is_string());
    let latest_old = texts(old, "startAt").into_iter().max();
    assert!(texts(new.iter().copied(), "startAt").into_iter().min() >= latest_old);
    let begun = items(&api, "state=in:IN_PROGRESS,COMPLETED");
    assert!(begun.iter().all(|item| !is_new(&item)), "none was made late");
    let events = api.get("/events?type=taskExecution.created&limit=1000").ok();
    assert!(events["data"].as_array().expect("events").len() >= new.len());
    // A round that is made by hand belongs to no series.
    let alone = items(&api, &format!("scheduledTaskId={}", by_hand[0]["id"].as_str().unwrap()));
    assert!(!alone.is_empty() && alone.iter().all(|item| item["seriesId"].is_null()));
}

/// The ids of the demo company that a page contains.
fn named(page: &Path) -> BTreeSet<String> {
    const FIRST: &str = "0190de30-";
    let text = fs::read_to_string(page).expect("the page can be read");
    text.match_indices(FIRST).map(|(at, _)| text[at..at + 36].to_owned()).collect()
}

#[test]
fn what_the_pages_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let book = fs::read_dir(root.join("docs/api")).expect("the book is there");
    let pages = book.map(|page| page.unwrap().path()).chain([root.join("README.md")]);
    let named: BTreeSet<String> = pages.flat_map(|page| named(&page)).collect();
    assert!(named.len() > 5, "{named:?}");
    let store = Store::empty();
    let server = start(&store);
    let _ = output(&server);
    let exported = store.run(&["export", "-"]).exited(0).stdout;
    for id in named {
        assert!(exported.contains(&format!("\"id\":\"{id}\"")), "{id} is not in the demo");
    }
}

#[test]
fn a_second_start_keeps_the_data_and_issues_a_fresh_token() {
    let store = Store::empty();
    let mut server = start(&store);
    let first = token(&output(&server)).expect("a token");
    let api = server.api().with_token(&first);
    let path = format!(
        "/task-executions/{}",
        items(&api, "state=PENDING&limit=1")[0]["id"].as_str().unwrap()
    );
    api.delete(&path).is_bare(204);
    let completed = items(&api, "state=COMPLETED");
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    drop(server);

    let server = start(&store);
    let second = token(&output(&server)).expect("a token");
    assert_ne!(first, second);
    let api = server.api().with_token(&second);
    assert_eq!(items(&api, "state=COMPLETED"), completed, "nothing was imported again");
    assert_eq!(api.get(&path).status, 404);
    let _ = server.api().with_token(&first).get("/tokens").ok();
}

#[test]
fn a_guard_signs_in_and_has_a_round_to_walk() {
    let store = Store::empty();
    let mut former: Option<SiteClient> = None;
    for _ in 0..2 {
        let server = start(&store);
        let printed = output(&server);
        let value = |name: &str| {
            let line = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(' ')?.to_owned());
            printed.lines().find_map(line).expect("a line")
        };
        let names: Vec<_> = printed.lines().filter_map(|line| line.split(' ').next()).collect();
        let lines = ["site", "name", "password", "guard", "guard-password"];
        assert!(names.windows(5).any(|names| names == lines), "{printed}");
        if let Some(former) = former {
            former.at(server.address()).get("/sessions").leads_to("/sign-in");
        }
        let mut browser = SiteClient::new(server.address());
        browser.sign_in(&value("guard"), &value("guard-password")).leads_to("/guard");
        let shown: Value = serde_json::from_str(&browser.open("/guard/session").text).unwrap();
        let (user, csrf) = (shown["userId"].as_str().unwrap(), shown["csrf"].as_str().unwrap());
        let cookie = format!("patrol_session={}", browser.cookie("patrol_session").unwrap());
        let api = server.api().with("Cookie", &cookie).with("Patrol-CSRF", csrf);
        let refused = api.get("/nothing").json(404);
        let now = refused["timestamp"].as_str().unwrap();
        let due = format!("startAt=lte:{now}&endAt=gt:{now}&state=in:PENDING,IN_PROGRESS&limit=1");
        assert_eq!(items(&api, &format!("userId={user}&{due}")).len(), 1, "one is due at any time");
        let next = items(&api, &format!("userId={user}&state=PENDING&sort=startAt&limit=1"));
        let round = api.get(&format!("/task-executions/{}", next[0]["id"].as_str().unwrap())).ok();
        let point = round["steps"][0]["pointId"].as_str().unwrap();
        assert!(api.get(&format!("/locations/points/{point}")).ok()["qrCode"].is_string());
        // Those that are due now are over at a later start.
        let admin = server.api().with_token(&token(&printed).expect("a token"));
        for round in items(&admin, &format!("userId={user}&{}", due.replace("limit=1", "limit=99")))
        {
            let path = format!("/task-executions/{}", round["id"].as_str().unwrap());
            assert_eq!(admin.delete(&path).status, 204);
        }
        former = Some(browser);
    }
}

#[test]
fn a_store_of_others_gets_no_demo_data_and_no_token() {
    let store = Store::with(&company::company());
    let before = store.run(&["export", "-"]).exited(0).stdout;
    let server = start(&store);
    let printed = output(&server);
    assert_eq!(token(&printed), None, "{printed}");
    assert!(printed.contains(server.address()), "{printed}");
    drop(server);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, before);
    assert_eq!(store.run(&["token", "list"]).exited(0).stdout, "");
}

#[test]
fn without_demo_nothing_is_imported() {
    let store = Store::empty();
    let server = Server::start(&store);
    assert_eq!(server.output(), "");
    drop(server);
    assert_eq!(store.run(&["export", "-"]).exited(0).stdout, "");
}

/// The events of accepted entries.
fn walked(api: &Api) -> Vec<Value> {
    let events = api.get("/events?type=taskExecution.reported&limit=1000").ok();
    events["data"].as_array().expect("events").clone()
}

#[test]
fn the_rounds_that_are_due_are_walked() {
    let store = Store::empty();
    let server = Server::run(store.command(&["serve", "--demo"]));
    let api = server.api().with_token(&token(&output(&server)).expect("a token"));
    let id = eventually("a round with accepted entries and a verdict", || {
        // The import of rounds that have entries is no event.
        let events = walked(&api);
        let flagged = |event: &&Value| {
            let verdicts = &event["changes"][0]["after"]["verdicts"];
            verdicts.as_array().is_some_and(|verdicts| !verdicts.is_empty())
        };
        let flagged = events.iter().find(flagged)?;
        (events.len() > 1).then(|| flagged["resourceId"].as_str().expect("an id").to_owned())
    });
    let path = format!("/task-executions/{id}/reports");
    let reports = api.get(&path).ok();
    let outcomes = texts(reports["data"].as_array().expect("reports"), "outcome");
    assert!(outcomes.iter().all(|outcome| *outcome == "ACCEPTED"), "{outcomes:?}");
    // The demo's guard walks by hand.
    let guard = api.get("/users?employeeNo=E-013").ok()["data"][0]["id"].clone();
    for event in walked(&api) {
        let round = event["resourceId"].as_str().expect("an id");
        let round = api.get(&format!("/task-executions/{round}")).ok();
        assert!(!round["assigneeIds"].as_array().expect("people").contains(&guard), "{round}");
    }
    // The store may be slow on a busy machine.
    let log = server.log();
    let warned = log.lines().any(|line| line.contains("WARN") && !line.contains("patrol::store"));
    assert!(!warned, "{log}");
}

#[test]
fn rounds_are_not_walked_when_they_should_not_be() {
    let store = Store::empty();
    let server = start(&store);
    let api = server.api().with_token(&token(&output(&server)).expect("a token"));
    // The walker begins at once.
    thread::sleep(Duration::from_secs(3));
    assert_eq!(walked(&api), Vec::<Value>::new());
    assert!(!server.api().outside("/metrics").text().contains("walk-demo"));
}
