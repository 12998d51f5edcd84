//! Clients that read and write all the time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use patrol_tests::execution_id;
use serde_json::{Value, json};

use crate::{
    client::{Client, answer},
    proxy::Kind,
};

/// The clients of each proxy.
pub(crate) const WORKERS: u32 = 2;

const PATIENCE: Duration = Duration::from_secs(60);

/// The clients of a proxy. Each changes one execution and reads it back.
pub(crate) struct Load {
    name: &'static str,
    workers: Vec<JoinHandle<Vec<String>>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    /// The rounds of all workers.
    rounds: AtomicUsize,
}

impl Load {
    pub(crate) fn start(client: &Client) -> Self {
        let shared = Arc::<Shared>::default();
        let first = Kind::ALL.iter().position(|kind| kind.name() == client.name).unwrap();
        let first = u32::try_from(first).unwrap() * WORKERS + 1;
        let workers = (first..first + WORKERS)
            .map(|number| {
                let (client, shared) = (client.clone(), Arc::clone(&shared));
                thread::spawn(move || work(&client, number, &shared))
            })
            .collect();
        Self { name: client.name, workers, shared }
    }

    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// Waits for this number of further rounds.
    pub(crate) fn wait_for(&self, rounds: usize) {
        let wanted = self.shared.rounds.load(Ordering::Relaxed) + rounds;
        let until = Instant::now() + PATIENCE;
        while self.shared.rounds.load(Ordering::Relaxed) < wanted {
            assert!(Instant::now() < until, "the clients of {} do not go on", self.name);
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends the clients, and returns what failed.
    pub(crate) fn stop(self) -> Vec<String> {
        self.shared.stopped.store(true, Ordering::Relaxed);
        self.workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    }
}

/// Changes execution `number` and reads it, until the end. Returns what failed.
fn work(client: &Client, number: u32, shared: &Shared) -> Vec<String> {
    let path = format!("/v1/task-executions/{}", execution_id(number));
    let mut failures = Vec::new();
    let mut round = 0_u32;
    while !shared.stopped.load(Ordering::Relaxed) && failures.len() < 10 {
        round += 1;
        let name = format!("round {round}");
        let id = format!("{}-{number}-{round}", client.name);
        let send = |method: &str| client.request(method, &path).header("x-request-id", &id);
        for request in [send("PATCH").json(&json!({ "name": name })), send("GET")] {
            match answer(request) {
                Ok(answer) if answer.status == 200 => {
                    let body: Value = serde_json::from_str(&answer.text).unwrap();
                    if body["name"] != *name {
                        failures.push(format!("{id}: {} was read", body["name"]));
                    }
                }
                failed => failures.push(format!("{id}: {failed:?}")),
            }
        }
        shared.rounds.fetch_add(1, Ordering::Relaxed);
    }
    failures
}
