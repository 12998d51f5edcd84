//! Reverse proxies in front of three nodes on PostgreSQL, with the configurations of
//! `docs/reverse-proxies.md`. The proxies are Debian packages; see `tests/test_servers`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests report by panicking and look at the clock of the machine"
)]

mod client;
mod load;
mod proxy;

use std::{
    io::{BufRead as _, BufReader},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Certificate, DataSet, Server, SiteClient, Store,
    company::{self, ADMIN},
    execution_id, planned, with,
};
use serde_json::json;

use client::Client;
use load::{Load, WORKERS};
use proxy::{Kind, Passes, Proxy};

/// Requests of each client before the first restart, and after the last one.
const ENOUGH: usize = 20;

/// The password of the administrator.
const PASSWORD: &str = "correct horse battery";

/// How long a change may take to reach an open page. The contract says 2 s; here debug builds share busy
/// cores with other tests.
const IN_TIME: Duration = Duration::from_secs(10);

/// Three nodes on one database.
struct Site {
    store: Store,
    nodes: Vec<Server>,
}

impl Site {
    fn start() -> Self {
        let executions = (1..=3 * WORKERS).map(planned);
        let company = company::company();
        let company = company.records().iter().map(|record| {
            if record["id"] == ADMIN {
                with(record.clone(), json!({ "password": PASSWORD }))
            } else {
                record.clone()
            }
        });
        let store = Store::postgres().and(&DataSet::new(company).and(executions));
        let address = || format!("127.0.0.1:{}", patrol_test_servers::free_port());
        let nodes = (0..3).map(|_| Self::node(&store, &address())).collect();
        Self { store, nodes }
    }

    fn node(store: &Store, address: &str) -> Server {
        let mut command = store.command(&["serve"]);
        command.env("PATROL_TRUSTED_PROXIES", "127.0.0.1");
        Server::run_at(command, address)
    }

    /// The first line with this text in the logs of the nodes, once there is one.
    fn line(&self, wanted: &str) -> String {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let log: String = self.nodes.iter().map(Server::log).collect();
            if let Some(line) = log.lines().find(|line| line.contains(wanted)) {
                return line.to_owned();
            }
            assert!(Instant::now() < until, "no line has {wanted}:\n{log}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops a node and starts it again at its address.
    fn restart(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        node.terminate();
        let status = node.wait();
        assert!(status.success(), "{status}");
        let address = node.address().to_owned();
        *node = Self::node(&self.store, &address);
    }
}

#[test]
fn no_request_fails_while_three_nodes_behind_three_proxies_restart() {
    let mut site = Site::start();
    let certificate = Certificate::issue();
    let addresses: Vec<_> = site.nodes.iter().map(|node| node.address().to_owned()).collect();
    let proxies = Kind::ALL.map(|kind| Proxy::start(kind, Passes::Api, &addresses, &certificate));
    let token = site.store.token(ADMIN);
    let clients = proxies.each_ref().map(|proxy| Client::new(proxy, &certificate, &token));
    for client in &clients {
        client.wait_until_served();
        check(&site, client);
    }

    let loads = clients.each_ref().map(Load::start);
    for load in &loads {
        load.wait_for(ENOUGH);
    }
    for number in 0..site.nodes.len() {
        site.restart(number);
        // All proxies use the node again before the next one stops.
        let uses = |log: &str, proxy: &Proxy| log.contains(&format!("\"{}-", proxy.kind.name()));
        let _ = site.nodes[number].log_once(|log| proxies.iter().all(|proxy| uses(log, proxy)));
    }
    for load in loads {
        let name = load.name();
        load.wait_for(ENOUGH);
        let failures = load.stop();
        assert!(failures.is_empty(), "{name}: {failures:?}");
    }
}

#[test]
fn an_open_page_is_told_of_a_change_through_each_proxy() {
    let site = Site::start();
    let certificate = Certificate::issue();
    let addresses: Vec<_> = site.nodes.iter().map(|node| node.address().to_owned()).collect();
    let browser = SiteClient::new(site.nodes[0].address()).signed_in("A1", PASSWORD);
    let cookie = format!("patrol_session={}", browser.cookie("patrol_session").expect("one"));
    let token = site.store.token(ADMIN);
    for kind in Kind::ALL {
        let proxy = Proxy::start(kind, Passes::Site, &addresses, &certificate);
        let client = Client::new(&proxy, &certificate, &token);
        client.wait_until_served();
        let page = client.get("/rounds", &[("cookie", &cookie)]);
        assert!(page.text.contains("<h1>Rounds</h1>"), "{kind:?}: {}", page.text);
        let stream = client.request("GET", "/rounds/live").header("cookie", &cookie).send();
        let mut lines = BufReader::new(stream.unwrap()).lines().map_while(Result::ok);
        // Heartbeats are not held back either.
        let opened = Instant::now();
        assert_eq!(lines.by_ref().filter(|line| line == "event: beat").take(3).count(), 3);
        assert!(opened.elapsed() < 3 * IN_TIME, "{kind:?}: {:?}", opened.elapsed());
        let changed = Instant::now();
        let path = format!("/v1/task-executions/{}", execution_id(1));
        let tags = json!({ "tags": [kind.name()] }).to_string();
        assert_eq!(client.patch(&path, tags).status, 200);
        let mut in_time = lines.by_ref().take_while(|_| changed.elapsed() < IN_TIME);
        assert!(in_time.any(|line| line == "event: change"), "{kind:?}: {:?}", changed.elapsed());
        assert_eq!(lines.next(), Some(format!("data: {}", execution_id(1))));
    }
}

/// What each proxy must forward as it is.
fn check(site: &Site, client: &Client) {
    // The client, with an address that it invented itself.
    let id = format!("{}-named", client.name);
    let listed = client.get(
        "/v1/task-executions/info",
        &[("x-request-id", &id), ("x-forwarded-for", "203.0.113.9")],
    );
    assert_eq!(listed.status, 200, "{}: {}", client.name, listed.text);
    let line = site.line(&format!("\"{id}\""));
    assert!(line.contains(&format!(" client={} ", client::ADDRESS)), "{}: {line}", client.name);
    // A body that is larger than many proxies accept by default, and an error of Patrol.
    let padded = format!("{{\"name\":\"padded\"{}}}", " ".repeat(3 << 19));
    let path = format!("/v1/task-executions/{}", execution_id(1));
    let patched = client.patch(&path, padded);
    assert_eq!(patched.status, 200, "{}: {}", client.name, patched.text);
    let refused = client.patch(&path, "{".to_owned());
    assert_eq!(refused.status, 400, "{}: {}", client.name, refused.text);
    assert!(refused.text.contains("\"code\":"), "{}: {}", client.name, refused.text);
    // Only the API is forwarded.
    for path in ["/metrics", "/health/ready"] {
        let hidden = client.get(path, &[]);
        assert_eq!(hidden.status, 404, "{} {path}: {}", client.name, hidden.text);
    }
}
