//! A client that changes its own records, which no other client changes, and checks each before it
//! changes it again.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use patrol_tests::{company::PORT, execution_id};
use serde_json::{Value, json};

use crate::{
    client::{Client, Outcome},
    journal::{Existence, Field, Journal, Recorded, Register},
    service::Service,
    walk::Walk,
};

/// The number of executions that each worker changes.
const EXECUTIONS: u32 = 3;

/// The pause of a client after a failure.
const PAUSE: Duration = Duration::from_millis(50);

/// A client with its records.
pub(crate) struct Worker {
    number: u32,
    client: Client,
    service: Arc<Service>,
    journal: Journal,
    /// The number of the last value; each value is written once.
    last: u64,
    /// Copies and points to delete, the oldest first.
    copies: Vec<String>,
    points: Vec<String>,
}

/// The executions for this number of workers. Each worker copies its first one.
pub(crate) fn executions(workers: u32) -> impl Iterator<Item = Value> {
    (1..=last_execution(workers)).map(patrol_tests::planned)
}

/// The number of the last execution of the first workers, this many.
pub(crate) const fn last_execution(workers: u32) -> u32 {
    workers * (EXECUTIONS + 1)
}

/// The users for the workers, two each.
pub(crate) fn users(workers: u32) -> impl Iterator<Item = Value> {
    (0..workers * 2).map(|n| {
        let user = patrol_tests::company::user(&user_id(n), "EMPLOYEE", &format!("W{n}"));
        patrol_tests::with(user, json!({ "phone": "0" }))
    })
}

/// The points for the workers, one each.
pub(crate) fn points(workers: u32) -> impl Iterator<Item = Value> {
    (0..workers).map(|n| patrol_tests::company::point(&point_id(n), PORT, "0"))
}

fn user_id(n: u32) -> String {
    format!("0190a000-00c1-7000-8000-{n:012x}")
}

fn point_id(n: u32) -> String {
    format!("0190a000-00c2-7000-8000-{n:012x}")
}

impl Worker {
    /// The worker with this number, counted from 0.
    pub(crate) fn new(number: u32, client: Client, service: Arc<Service>) -> Self {
        let mut journal = Journal::default();
        for n in 0..EXECUTIONS {
            let execution = last_execution(number) + 2 + n;
            let path = format!("/task-executions/{}", execution_id(execution));
            let name = format!("Round {execution}");
            journal.registers(Field::Execution).push(Register::new(path, &name));
        }
        for n in 0..2 {
            let path = format!("/users/{}", user_id(number * 2 + n));
            journal.registers(Field::User).push(Register::new(path, "0"));
        }
        let path = format!("/locations/points/{}", point_id(number));
        journal.registers(Field::Point).push(Register::new(path, "0"));
        journal.walks.push(Walk::of(last_execution(number) + 1));
        let (copies, points) = (Vec::new(), Vec::new());
        Self { number, client, service, journal, last: 0, copies, points }
    }

    /// Works until it is stopped, and returns its journal.
    pub(crate) fn run(mut self, stop: &AtomicBool) -> Journal {
        let mut step = self.number;
        while !stop.load(Ordering::Relaxed) {
            let done = match step % 10 {
                0 => self.change_execution(0),
                1 => self.create_copy(),
                2 => self.change_point(),
                3 => self.change_users(),
                4 => self.change_execution(1),
                5 => self.create_point(),
                6 => self.delete_copy(),
                7 => self.change_execution(2),
                8 => self.report(),
                _ => self.delete_point(),
            };
            if !done {
                thread::sleep(PAUSE);
            }
            step = step.wrapping_add(1);
        }
        self.journal
    }

    fn next(&mut self) -> String {
        self.last += 1;
        format!("{}-{}", self.number, self.last)
    }

    /// Sends a write and counts it. True when it was acknowledged.
    fn write(&mut self, method: &str, path: &str, body: Option<&Value>) -> (bool, Outcome) {
        let outcome = self.client.send(method, path, body);
        self.service.saw(self.number, &outcome);
        self.journal.count(outcome.is_success());
        (outcome.is_success(), outcome)
    }

    /// Reads a value and compares it. False when it cannot be read: then it is not changed, because
    /// a change would hide its state.
    fn look(&mut self, field: Field, at: usize) -> bool {
        let Some(path) = self.path(field, at) else { return false };
        let (method, body, member) = field.reading();
        let body = body.and_then(|text| serde_json::from_str(text).ok());
        let outcome = self.client.send(method, &path, body.as_ref());
        self.service.saw(self.number, &outcome);
        if !outcome.is_success() {
            return false;
        }
        let seen = outcome.body[member].as_str().unwrap_or_default();
        self.journal.glance(field, at, seen);
        true
    }

    fn path(&mut self, field: Field, at: usize) -> Option<String> {
        self.journal.registers(field).get(at).map(|register| register.path.clone())
    }

    fn sent(&mut self, field: Field, at: usize, value: &str, is_acknowledged: bool) {
        if let Some(register) = self.journal.registers(field).get_mut(at) {
            register.sent(value.to_owned(), is_acknowledged);
        }
    }

    fn change_execution(&mut self, at: usize) -> bool {
        if !self.look(Field::Execution, at) {
            return false;
        }
        let Some(path) = self.path(Field::Execution, at) else { return false };
        let name = self.next();
        let (done, _) = self.write("PATCH", &path, Some(&json!({ "name": name })));
        self.sent(Field::Execution, at, &name, done);
        done
    }

    /// Changes two users with a batch.
    fn change_users(&mut self) -> bool {
        if !(self.look(Field::User, 0) && self.look(Field::User, 1)) {
            return false;
        }
        let phone = self.next();
        let entries = [0, 1].map(|n| json!({ "id": user_id(self.number * 2 + n), "phone": phone }));
        let (done, _) = self.write("POST", "/users/batch", Some(&json!(entries)));
        self.sent(Field::User, 0, &phone, done);
        self.sent(Field::User, 1, &phone, done);
        done
    }

    fn change_point(&mut self) -> bool {
        if !self.look(Field::Point, 0) {
            return false;
        }
        let Some(path) = self.path(Field::Point, 0) else { return false };
        let name = self.next();
        let (done, _) = self.write("PUT", &path, Some(&point(&name)));
        self.sent(Field::Point, 0, &name, done);
        self.record("UPDATE", name, done);
        done
    }

    fn create_point(&mut self) -> bool {
        let name = self.next();
        let (done, outcome) = self.write("POST", "/locations/points", Some(&point(&name)));
        if let (true, Some(id)) = (done, outcome.body["id"].as_str()) {
            self.journal.created_points.insert(id.to_owned(), Existence::Present);
            self.points.push(id.to_owned());
        }
        self.record("CREATE", name, done);
        done
    }

    /// Reports one entry more on the execution that is copied, after those that are not acknowledged.
    fn report(&mut self) -> bool {
        let text = self.next();
        let walk = self.journal.walks.last_mut().expect("a round");
        let id = u64::from(self.number) << 32 | self.last;
        walk.add(id, json!({ "type": "NOTE", "textValue": text }));
        let (path, entries) = (format!("{}/reports", walk.round), walk.unsent());
        let (done, _) = self.write("POST", &path, entries.as_ref());
        if done {
            self.journal.walks.last_mut().expect("a round").acknowledge();
        }
        done
    }

    fn create_copy(&mut self) -> bool {
        let original = execution_id(last_execution(self.number) + 1);
        let path = format!("/task-executions/{original}/copy");
        let (done, outcome) = self.write("POST", &path, Some(&json!({ "taskIds": [original] })));
        match outcome.body["id"].as_str() {
            Some(id) if done => {
                self.journal.copies.insert(id.to_owned(), Existence::Present);
                self.copies.push(id.to_owned());
            }
            _ => self.journal.unknown_copies += 1,
        }
        done
    }

    fn delete_copy(&mut self) -> bool {
        // Half of them stay, to be checked at the end.
        if self.copies.len() < 2 {
            return true;
        }
        let id = self.copies.remove(0);
        self.copies.remove(0);
        let (done, _) = self.write("DELETE", &format!("/task-executions/{id}"), None);
        self.journal.copies.insert(id, deleted(done));
        done
    }

    fn delete_point(&mut self) -> bool {
        if self.points.len() < 2 {
            return true;
        }
        let id = self.points.remove(0);
        self.points.remove(0);
        let (done, _) = self.write("DELETE", &format!("/locations/points/{id}"), None);
        self.journal.created_points.insert(id, deleted(done));
        done
    }

    fn record(&mut self, operation: &str, name: String, is_acknowledged: bool) {
        let change = (operation.to_owned(), name);
        self.journal.history.push(Recorded { change, is_acknowledged });
    }
}

fn deleted(is_acknowledged: bool) -> Existence {
    if is_acknowledged { Existence::Absent } else { Existence::Either }
}

fn point(name: &str) -> Value {
    json!({ "locationId": PORT, "name": name, "type": "QR", "tags": ["chaos"] })
}
