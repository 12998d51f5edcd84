//! A client that walks rounds, which no other client does, and reports each entry by itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use patrol_tests::{action_id, step_id};
use serde_json::{Value, json};

use crate::{client::Client, journal::Journal, service::Service, walk::Walk};

/// The rounds of each guard. After the last one, it reports notes.
const ROUNDS: u32 = 120;

/// The time from one entry to the next. All guards report at the same moments, so that the store takes many entries
/// in one transaction.
const EVERY: Duration = Duration::from_millis(100);

/// A guard with its rounds.
pub(crate) struct Guard {
    number: u32,
    client: Client,
    service: Arc<Service>,
    journal: Journal,
    /// The number of the last entry.
    last: u32,
}

/// The rounds for this number of guards, numbered after this one.
pub(crate) fn executions(after: u32, guards: u32) -> impl Iterator<Item = Value> {
    (after + 1..=after + guards * ROUNDS).map(patrol_tests::planned)
}

impl Guard {
    /// The client with this number, counted from 0.
    pub(crate) fn new(number: u32, client: Client, service: Arc<Service>) -> Self {
        Self { number, client, service, journal: Journal::default(), last: 0 }
    }

    /// Walks rounds, of which the guard with the number `guard` has its own after round `after`, until it is stopped,
    /// and returns its journal.
    pub(crate) fn run(mut self, after: u32, guard: u32, stop: &AtomicBool) -> Journal {
        for round in (after + guard * ROUNDS + 1..).take(ROUNDS as usize) {
            self.journal.walks.push(Walk::of(round));
            for entry in entries(round) {
                if stop.load(Ordering::Relaxed) {
                    return self.journal;
                }
                self.report(Some(entry));
            }
            while !stop.load(Ordering::Relaxed) && !self.report(None) {}
        }
        while !stop.load(Ordering::Relaxed) {
            self.report(Some(note()));
        }
        self.journal
    }

    /// Reports this entry after those that are not acknowledged. True when all are acknowledged.
    fn report(&mut self, entry: Option<Value>) -> bool {
        let walk = self.journal.walks.last_mut().expect("a round");
        if let Some(entry) = entry {
            self.last += 1;
            walk.add(u64::from(self.number) << 32 | u64::from(self.last), entry);
        }
        let Some(entries) = walk.unsent() else { return true };
        wait_for_next_moment();
        let path = format!("{}/reports", walk.round);
        let outcome = self.client.send("POST", &path, Some(&entries));
        self.service.saw(self.number, &outcome);
        if outcome.is_success() {
            walk.acknowledge();
        }
        self.journal.count(outcome.is_success());
        outcome.is_success()
    }
}

/// Waits for the next moment at which all guards report.
fn wait_for_next_moment() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let over = now.as_nanos() % EVERY.as_nanos();
    thread::sleep(EVERY.saturating_sub(Duration::from_nanos(over as u64)));
}

fn note() -> Value {
    json!({ "type": "NOTE", "textValue": "dry" })
}

/// The entries of a whole walk of this round. The step without a result of its photo is finished by hand.
fn entries(round: u32) -> [Value; 9] {
    let [gate, pier] = [1, 2].map(|step| step_id(round, step));
    [
        note(),
        json!({ "type": "START" }),
        json!({ "type": "SCAN", "stepId": gate, "technology": "QR" }),
        json!({ "type": "RESULT", "stepId": gate, "actionId": action_id(round, 1), "booleanValue": true }),
        json!({ "type": "RESULT", "stepId": gate, "actionId": action_id(round, 2), "numberValue": 1.5 }),
        json!({ "type": "SCAN", "stepId": pier, "technology": "QR" }),
        json!({ "type": "RESULT", "stepId": pier, "actionId": action_id(round, 3), "textValue": "dry" }),
        json!({ "type": "FINISH_STEP", "stepId": pier }),
        json!({ "type": "COMPLETE" }),
    ]
}
