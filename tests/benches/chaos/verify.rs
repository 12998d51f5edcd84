//! Checks every acknowledged change, by id and in the lists.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
};

use patrol_tests::escaped;
use serde_json::{Value, json};

use crate::{
    client::Client,
    journal::{Existence, Field, Journal},
    walk::Walk,
};

/// Compares all journals with what `client` reads. Adds losses to the journals, and returns all
/// other errors.
pub(crate) fn verify(client: &Client, journals: &mut [Journal]) -> Vec<String> {
    let mut wrong = Vec::new();
    thread::scope(|scope| {
        let each: Vec<_> = journals
            .iter_mut()
            .map(|journal| scope.spawn(|| verify_records(client, journal)))
            .collect();
        for one in each {
            wrong.extend(one.join().expect("a journal is compared"));
        }
    });
    verify_executions(client, journals, &mut wrong);
    verify_history(client, journals, &mut wrong);
    verify_events(client, journals, &mut wrong);
    wrong
}

/// Checks each record of a journal by id.
fn verify_records(client: &Client, journal: &mut Journal) -> Vec<String> {
    let mut wrong = Vec::new();
    for field in [Field::Execution, Field::User, Field::Point] {
        let (method, body, member) = field.reading();
        let body: Option<Value> = body.and_then(|text| serde_json::from_str(text).ok());
        let paths: Vec<_> = journal.registers(field).iter().map(|it| it.path.clone()).collect();
        let mut seen = BTreeSet::new();
        for (at, path) in paths.iter().enumerate() {
            let outcome = client.send(method, path, body.as_ref());
            let value = outcome.body[member].as_str().unwrap_or_default().to_owned();
            journal.compare(field, at, &value);
            seen.insert(value);
        }
        if field == Field::User && seen.len() > 1 {
            wrong.push(format!("half a batch took effect: {paths:?} are {seen:?}"));
        }
    }
    let Journal { copies, created_points, walks, lost, took_effect, .. } = journal;
    *took_effect += verify_existence(client, "/task-executions", copies, lost);
    *took_effect += verify_existence(client, "/locations/points", created_points, lost);
    for walk in walks {
        *took_effect += verify_walk(client, walk, lost, &mut wrong);
    }
    wrong
}

/// The list of reports has every acknowledged entry once, the others at most once, and nothing else; all were accepted,
/// and the round is what follows from them. From then on `walk` says of each entry whether it is listed. Returns how
/// many unacknowledged ones took effect.
fn verify_walk(
    client: &Client,
    walk: &mut Walk,
    lost: &mut Vec<String>,
    wrong: &mut Vec<String>,
) -> u64 {
    let Walk { round, entries, .. } = walk;
    let list = client.get(&format!("{round}/reports"));
    let items = list.body["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut times: BTreeMap<&str, u64> = BTreeMap::new();
    for item in items {
        *times.entry(item["id"].as_str().unwrap_or_default()).or_default() += 1;
        if item["outcome"] != "ACCEPTED" {
            wrong.push(format!("{round}: {item}"));
        }
    }
    let mut took_effect = 0;
    for (id, is_known) in entries {
        let times = times.remove(id.as_str()).unwrap_or(0);
        match (times, *is_known) {
            (1, true) | (0, false) => {}
            (1, false) => took_effect += 1,
            (0, true) => lost.push(format!("{round}: no entry {id}")),
            _ => wrong.push(format!("{round}: {id} {times} times")),
        }
        *is_known = times > 0;
    }
    for id in times.keys() {
        wrong.push(format!("{round}: nobody reported {id}"));
    }
    let of = |kind: &str| items.iter().filter(|item| item["type"] == kind).count();
    let state = match (of("START"), of("COMPLETE")) {
        (0, 0) => "PENDING",
        (1, 0) => "IN_PROGRESS",
        (1, 1) => "COMPLETED",
        other => {
            wrong.push(format!("{round}: started and ended {other:?} times"));
            return took_effect;
        }
    };
    let record = client.get(round.as_str()).body;
    let flags = items.iter().filter(|item| item["verdicts"] != json!([])).count();
    let steps = record["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let performed = steps.iter().filter(|step| !step["actualOrder"].is_null()).count();
    let actions = steps.iter().filter_map(|step| step["actions"].as_array()).flatten();
    let executed = actions.filter(|action| action["state"] == "COMPLETED").count();
    let found = json!([record["state"], record["flagCount"], performed, executed]);
    let expected = json!([state, flags, of("SCAN"), of("RESULT")]);
    if found != expected {
        wrong.push(format!("{round} is {found}, not {expected}"));
    }
    took_effect
}

/// The event log has one event of each listed entry, and no other.
fn verify_events(client: &Client, journals: &[Journal], wrong: &mut Vec<String>) {
    let mut after = 0;
    let mut told: BTreeMap<String, u64> = BTreeMap::new();
    loop {
        let path = format!("/events?type=taskExecution.reported&limit=1000&after={after}");
        let page = client.get(&path).body;
        for event in page["data"].as_array().into_iter().flatten() {
            let entry = &event["changes"][0]["after"]["id"];
            *told.entry(entry.as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
        after = page["next"].as_u64().unwrap_or(after);
        if page["more"] != true {
            break;
        }
    }
    for (id, is_listed) in journals.iter().flat_map(|it| &it.walks).flat_map(|it| &it.entries) {
        match (told.remove(id).unwrap_or(0), is_listed) {
            (1, true) | (0, false) => {}
            (times, _) => wrong.push(format!("{times} events of entry {id}, listed: {is_listed}")),
        }
    }
    wrong.extend(told.keys().map(|id| format!("an event of entry {id}, which nobody reported")));
}

/// Returns how many unacknowledged deletions took effect.
fn verify_existence(
    client: &Client,
    root: &str,
    records: &mut BTreeMap<String, Existence>,
    lost: &mut Vec<String>,
) -> u64 {
    let mut took_effect = 0;
    for (id, existence) in records {
        let path = format!("{root}/{id}");
        let is_there = match client.get(&path).answer {
            Ok(200) => true,
            Ok(404) => false,
            other => {
                lost.push(format!("{path}: {other:?}"));
                continue;
            }
        };
        match (*existence, is_there) {
            (Existence::Present, false) => lost.push(format!("{path} was made, and is gone")),
            (Existence::Absent, true) => lost.push(format!("{path} was deleted, and is there")),
            // From now on the state is known.
            (Existence::Either, true) => *existence = Existence::Present,
            (Existence::Either, false) => {
                *existence = Existence::Absent;
                took_effect += 1;
            }
            (Existence::Present, true) | (Existence::Absent, false) => {}
        }
    }
    took_effect
}

/// The list of executions has the copies that exist by id, and at most as many others as were
/// requested.
fn verify_executions(client: &Client, journals: &mut [Journal], wrong: &mut Vec<String>) {
    let list = client.get("/task-executions/info");
    let items = list.body["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    if list.body["meta"]["count"].as_u64() != u64::try_from(items.len()).ok() || items.is_empty() {
        wrong.push(format!("a list of {} says: {}", items.len(), list.body["meta"]));
    }
    let mut listed: BTreeSet<_> = items.iter().filter_map(|item| item["id"].as_str()).collect();
    let mut unknown = 0;
    for journal in &mut *journals {
        unknown += journal.unknown_copies;
        for (id, existence) in &journal.copies {
            let is_listed = listed.remove(id.as_str());
            if is_listed != (*existence == Existence::Present) {
                journal.lost.push(format!("the list disagrees about the copy {id}"));
            }
        }
    }
    // The rest are the originals, whose ids the harness chose, and copies with unknown ids.
    let found = listed.into_iter().filter(|id| !id.starts_with("0190a000-")).count();
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    if found > unknown {
        wrong.push(format!("{found} copies nobody knows of, but {unknown} were asked for"));
    }
    if let Some(journal) = journals.first_mut() {
        journal.took_effect += found;
    }
}

/// The history of points has every acknowledged change once, the others at most once, and nothing
/// else. So changes that later ones replaced are checked too.
fn verify_history(client: &Client, journals: &mut [Journal], wrong: &mut Vec<String>) {
    let path = format!("/locations/points/history?tags={}", escaped("in:chaos"));
    let list = client.get(&path);
    let mut recorded: BTreeMap<(String, String), u64> = BTreeMap::new();
    for item in list.body["data"].as_array().into_iter().flatten() {
        let text = |member: &str| item[member].as_str().unwrap_or_default().to_owned();
        if item["operation"] != "DELETE" {
            *recorded.entry((text("operation"), text("name"))).or_default() += 1;
        }
    }
    for journal in journals {
        let Journal { history, took_effect, lost, .. } = journal;
        for change in history {
            match (recorded.remove(&change.change), change.is_acknowledged) {
                (Some(1), true) | (None, false) => {}
                // Repeated changes of a point were already counted when they were read.
                (Some(1), false) if change.change.0 == "CREATE" => *took_effect += 1,
                (Some(1), false) => {}
                (None, true) => lost.push(format!("not in the history: {:?}", change.change)),
                (Some(times), _) => wrong.push(format!("{times} times: {:?}", change.change)),
            }
        }
    }
    for change in recorded.keys() {
        wrong.push(format!("nobody did this: {change:?}"));
    }
}
