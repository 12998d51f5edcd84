//! Two nodes of one database.

use std::{thread, time::Duration};

use patrol_tests::{
    Api, Running, Server, Store,
    company::{self, ADMIN, EMPLOYEE, GATE, GUARD, MANAGER, PORT},
    execution_id, planned,
};
use serde_json::{Value, json};

use crate::{LIST, path};
use patrol_tests::within;

/// How long a node may use outdated tokens and roles.
const KNOWN: Duration = Duration::from_secs(5);

/// Two nodes that serve the company and some executions.
struct Nodes {
    one: Running,
    other: Server,
}

impl Nodes {
    fn start() -> Self {
        let records = company::company().and((1..=4).map(planned));
        let one = Running::on(Store::postgres().and(&records));
        let other = Server::start(&one.store);
        Self { one, other }
    }

    /// A user's clients of both.
    fn clients(&self, user: &str) -> [Api; 2] {
        let token = self.one.store.token(user);
        [&self.one.server, &self.other].map(|server| server.api().with_token(&token))
    }
}

fn status(user: &str, to: &Value) -> (String, Value) {
    (format!("/users/{user}"), to.clone())
}

#[test]
fn a_token_that_is_revoked_on_one_node_is_refused_by_both() {
    let nodes = Nodes::start();
    let [_, other] = nodes.clients(ADMIN);
    let issued = nodes.one.admin.post("/tokens", &json!({ "name": "x" })).json(201);
    let token = issued["token"].as_str().unwrap();
    let clients = [&nodes.one.server, &nodes.other].map(|node| node.api().with_token(token));
    for client in &clients {
        let _ = client.get(LIST).ok();
    }
    other.delete(&format!("/tokens/{}", issued["id"].as_str().unwrap())).is_bare(204);
    within(KNOWN, "both refuse it", || clients.iter().all(|client| client.get(LIST).status == 401));
}

#[test]
fn a_role_and_a_status_that_are_changed_on_one_node_hold_on_both() {
    let nodes = Nodes::start();
    let [_, other] = nodes.clients(ADMIN);
    let manager = nodes.clients(MANAGER);
    let body = json!({ "description": "by a manager" });
    for client in &manager {
        let _ = client.patch(&path(1), &body).ok();
    }
    let (user, change) = status(MANAGER, &json!({ "role": "EMPLOYEE" }));
    let _ = other.patch(&user, &change).ok();
    within(KNOWN, "an employee changes nothing", || {
        manager.iter().all(|client| client.patch(&path(1), &body).status == 403)
    });
    let (user, change) = status(MANAGER, &json!({ "role": "MANAGER" }));
    let _ = nodes.one.admin.patch(&user, &change).ok();
    within(KNOWN, "a manager does", || {
        manager.iter().all(|client| client.patch(&path(1), &body).status == 200)
    });
    let (user, change) = status(MANAGER, &json!({ "status": "INACTIVE" }));
    let _ = other.patch(&user, &change).ok();
    within(KNOWN, "who is inactive is nobody", || {
        manager.iter().all(|client| client.get(LIST).status == 401)
    });
}

#[test]
fn what_one_node_writes_the_other_reads_at_once() {
    let nodes = Nodes::start();
    let both = nodes.clients(ADMIN);
    for round in 0..20 {
        let (writer, reader) = (&both[round % 2], &both[(round + 1) % 2]);
        let name = format!("lap {round}");
        let written = writer.patch(&path(1), &json!({ "name": name })).ok();
        assert_eq!(reader.get(&path(1)).ok()["name"], *name);
        let found = reader.get(&format!("/task-executions/info?name=eq:{name}")).ok();
        assert_eq!(found["data"], json!([written]));

        let point = json!({ "locationId": PORT, "name": name, "type": "QR", "qrCode": name });
        let created = writer.post("/locations/points", &point).json(201);
        let at = format!("/locations/points/{}", created["id"].as_str().unwrap());
        assert_eq!(reader.get(&at).ok(), created);
        let _ = reader.post("/locations/points", &point).refused(400, "validation.failed");
        reader.delete(&at).is_bare(204);
        writer.get(&at).refused(404, "not.found").shows(&[]);

        // An empty PATCH returns the user.
        let user = format!("/users/{GUARD}");
        let changed = writer.patch(&user, &json!({ "phone": name })).ok();
        assert_eq!(reader.patch(&user, &json!({})).ok(), changed);
    }
    let count = format!("/locations/points/history?q=lap&id=ne:{GATE}&limit=0");
    assert_eq!(both[0].get(&count).ok()["meta"]["count"], 40);
    assert_eq!(both[0].get(LIST).ok(), both[1].get(LIST).ok());
}

#[test]
fn no_update_is_lost_between_nodes() {
    let nodes = Nodes::start();
    let both = nodes.clients(ADMIN);
    let append = |api: &Api, tag: &str| loop {
        let read = api.get(&path(1));
        let mut tags = read.ok()["tags"].as_array().unwrap().clone();
        tags.push(json!(tag));
        let answer = api.with("If-Match", &read.etag()).patch(&path(1), &json!({ "tags": tags }));
        match answer.status {
            200 => return,
            412 => {}
            other => panic!("{other}: {}", answer.text()),
        }
    };
    thread::scope(|scope| {
        for writer in 0..8 {
            let api = &both[writer % 2];
            scope.spawn(move || (0..4).for_each(|n| append(api, &format!("{writer}-{n}"))));
        }
    });
    let tags = both[0].get(&path(1)).ok()["tags"].clone();
    // The initial two tags, and 4 of each writer.
    assert_eq!(tags.as_array().unwrap().len(), 2 + 8 * 4, "{tags}");
}

#[test]
fn a_name_goes_to_one_user_as_number_or_email_whichever_node_is_asked() {
    let nodes = Nodes::start();
    let both = nodes.clients(ADMIN);
    for round in 0..20 {
        let name = format!("n{round}@example.org");
        let changes =
            [(EMPLOYEE, json!({ "employeeNo": name })), (GUARD, json!({ "email": name }))];
        let statuses: Vec<u16> = thread::scope(|scope| {
            let asked: Vec<_> = changes
                .iter()
                .zip(&both)
                .map(|((user, change), api)| {
                    scope.spawn(move || api.patch(&format!("/users/{user}"), change).status)
                })
                .collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 1, "{statuses:?}");
    }
}

#[test]
fn tokens_that_are_issued_on_two_nodes_count_together() {
    let records = company::company();
    let store = Store::postgres().and(&records);
    let settings = [("PATROL_LIMIT_TOKENS", "20")];
    let one = Running::set(store, &settings);
    let mut command = one.store.command(&["serve"]);
    command.envs(settings);
    let other = Server::run(command);
    let token = one.store.token(GUARD);
    let issued: usize = thread::scope(|scope| {
        let asked: Vec<_> = [&one.server, &other, &one.server, &other]
            .into_iter()
            .map(|server| {
                let api = server.api().with_token(&token);
                scope.spawn(move || {
                    let statuses =
                        (0..10).map(|_| api.post("/tokens", &json!({ "name": "x" })).status);
                    statuses.filter(|status| *status == 201).count()
                })
            })
            .collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).sum()
    });
    assert_eq!(issued, 19);
}

#[test]
fn one_number_goes_to_one_user_whichever_node_is_asked() {
    let nodes = Nodes::start();
    let both = nodes.clients(ADMIN);
    for round in 0..5 {
        let number = json!({ "employeeNo": format!("N-{round}") });
        let statuses: Vec<u16> = thread::scope(|scope| {
            let asked: Vec<_> = [EMPLOYEE, GUARD, MANAGER]
                .into_iter()
                .zip(both.iter().cycle())
                .map(|(user, api)| {
                    let number = &number;
                    scope.spawn(move || api.patch(&format!("/users/{user}"), number).status)
                })
                .collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        let count = |wanted| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!((count(200), count(400)), (1, 2), "{statuses:?}");
    }
}

#[test]
fn a_copy_is_made_once_for_each_request_whichever_node_is_asked() {
    let nodes = Nodes::start();
    let both = nodes.clients(ADMIN);
    let body = json!({ "taskIds": [execution_id(1), execution_id(2)] });
    thread::scope(|scope| {
        for api in both.iter().cycle().take(10) {
            let body = &body;
            scope.spawn(move || api.post(&format!("{}/copy", path(1)), body).ok());
        }
    });
    for api in &both {
        assert_eq!(api.get(LIST).ok()["meta"]["count"], 4 + 10 * 2);
    }
}
