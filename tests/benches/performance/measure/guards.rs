//! Guards who report while others read and a dispatcher has the board open.

use std::{
    io::{BufRead as _, BufReader},
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Api, Wire, action_id,
    bench::{
        company,
        process::Process,
        rate::Latencies,
        report::{Goals, Row, grouped},
    },
    execution_id, step_id,
};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{office::signed_in, whole_list::Over};
use crate::subject::Subject;

/// The guards. Some are the same user, with several phones.
const GUARDS: u32 = 200;
const USERS: u32 = 20;
/// The time from one entry of a guard to the next.
const PAUSE: Duration = Duration::from_millis(100);
/// The others, each with a page of 50 rounds at a time, and their pause.
const READERS: usize = 16;

/// The steps of a round, and the actions of a step.
const STEPS: u32 = 5;
const ACTIONS: u32 = 3;

/// A change of the board: the round, when it was sent, and when it was answered.
type Started = (String, Instant, Instant);

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let browser = signed_in(subject, &server);
    let session = browser.cookie("patrol_session").expect("a session").to_owned();
    let board = Api::new(server.address()).with("Cookie", &format!("patrol_session={session}"));
    let users: Vec<_> = (1..=USERS).map(|user| Guard::of(subject, user)).collect();
    let length = Duration::from_secs(if subject.plan.quick { 2 } else { 15 });
    let (is_over, reads, refused) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    // The threads of the phones are there and have asked for something: 200 of them that start at once take the
    // processor away from the server for a second.
    let ready = Barrier::new(GUARDS as usize + 1);
    let (walked, seconds, told) = thread::scope(|scope| {
        let told = scope.spawn(|| listen(&board, &is_over));
        for reader in 0..READERS {
            let (is_over, reads) = (&is_over, &reads);
            let mut line = Line::connect(&server, subject.store.token());
            scope.spawn(move || {
                let page = format!("/task-executions/info?limit=50&offset={}", reader * 50);
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(line.request("GET", &page, ""), 200);
                    reads.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(PAUSE);
                }
            });
        }
        let over = Over(&is_over);
        let phones = (0..GUARDS).map(|phone| {
            let user = &users[(phone % USERS) as usize];
            let (refused, ready) = (&refused, &ready);
            let mut line = Line::connect(&server, &user.token);
            scope.spawn(move || {
                assert_eq!(line.request("GET", "/task-executions/info?limit=50", ""), 200);
                ready.wait();
                user.walk(phone, line, length, refused)
            })
        });
        let phones: Vec<_> = phones.collect();
        ready.wait();
        let begun = Instant::now();
        let walked = phones.into_iter().map(|phone| phone.join().expect("a guard reports"));
        let walked: Vec<_> = walked.collect();
        // Longer than planned, when the server falls behind.
        let seconds = begun.elapsed().as_secs_f64();
        // What is told of the last changes.
        thread::sleep(Duration::from_secs(1));
        drop(over);
        (walked, seconds, told.join().expect("the board listens"))
    });
    let (times, started): (Vec<_>, Vec<_>) = walked.into_iter().unzip();
    let (times, started) = (times.concat(), started.concat());
    let entries = grouped(times.len() as f64 / seconds);
    let Latencies { p50, p99, .. } = Latencies::of(times);
    let delays = started.iter().map(|change| delay(change, &told));
    let longest = delays.max().unwrap_or_default().as_secs_f64();
    let reads = grouped(f64::from(reads.into_inner()) / seconds);
    goals.add(
        Row::new(format!("{GUARDS} guards report, p99"), format!("{p99:.1} ms"))
            .beside(format!(
                "p50 {p50:.1} ms, {entries} entries/s, {reads} pages/s by {READERS} readers"
            ))
            .at_most(p99, 100.0, "ms"),
    );
    let refused = f64::from(refused.into_inner());
    goals.add(
        Row::new("guards' requests that were not answered with 200", grouped(refused))
            .at_most(refused, 0.0, ""),
    );
    goals.add(
        Row::new("an open board is told of a change meanwhile", format!("{longest:.2} s"))
            .beside(format!("the longest of {}", started.len()))
            .at_most(longest, 1.0, "s"),
    );
}

/// A user with the numbers of rounds to walk.
struct Guard {
    token: String,
    rounds: Vec<u32>,
}

impl Guard {
    fn of(subject: &Subject<'_>, user: u32) -> Self {
        let token = subject.store.token_of(&format!("E{user}"));
        let is_own = |n: &u32| {
            company::is_pending(*n) && company::is_published(*n) && company::performer(*n) == user
        };
        let rounds = (0..subject.store.executions()).filter(is_own).collect();
        Self { token, rounds }
    }

    /// Walks rounds for this time, or until there are no more. What is refused is sent again. Returns how long
    /// each entry took from when it was due, in milliseconds, and the changes that the board shows.
    fn walk(
        &self,
        phone: u32,
        mut line: Line,
        length: Duration,
        refused: &AtomicU32,
    ) -> (Vec<f64>, Vec<Started>) {
        let (mut times, mut started) = (Vec::new(), Vec::new());
        let end = Instant::now() + length;
        let mut due = Instant::now() + PAUSE * (phone % 100) / 100;
        let mut sent = 0;
        let phones_of_user = (GUARDS / USERS) as usize;
        for n in self.rounds.iter().skip((phone / USERS) as usize).step_by(phones_of_user) {
            for mut entry in entries(*n) {
                if due >= end {
                    return (times, started);
                }
                thread::sleep(due.saturating_duration_since(Instant::now()));
                sent += 1;
                entry["id"] = json!(format!("0190a000-000c-7000-8{phone:03x}-{sent:012x}"));
                // An old time would be a verdict on each entry, which most guards never get.
                let now = OffsetDateTime::now_utc().format(&Rfc3339);
                entry["at"] = json!(now.expect("a time"));
                let (id, at) = (execution_id(*n), Instant::now());
                let path = format!("/task-executions/{id}/reports");
                while line.request("POST", &path, &json!([entry]).to_string()) != 200 {
                    refused.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(PAUSE);
                }
                times.push(due.elapsed().as_secs_f64() * 1e3);
                if entry["type"] == "START" {
                    started.push((id, at, Instant::now()));
                }
                due += PAUSE;
            }
        }
        (times, started)
    }
}

/// A connection that costs the machine less than the client library of the tests: of that, 200 would take
/// the processor away from the server.
struct Line {
    wire: Wire,
    /// The lines of the head that all requests have.
    head: String,
}

impl Line {
    fn connect(server: &Process, token: &str) -> Self {
        let address = server.address();
        let head = format!(
            "Host: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json"
        );
        Self { wire: Wire::connect(address), head }
    }

    /// The status of the answer, which has been read.
    fn request(&mut self, method: &str, path: &str, body: &str) -> u16 {
        let (head, length) = (&self.head, body.len());
        self.wire.send(format!(
            "{method} /v1{path} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        let mut answer = Vec::new();
        loop {
            let more = self.wire.read(64 << 10).expect("the server answers");
            assert!(!more.is_empty(), "hung up after {}", String::from_utf8_lossy(&answer));
            answer.extend(more);
            let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else {
                continue;
            };
            let (head, body) = answer.split_at(end + 4);
            let head = String::from_utf8_lossy(head).to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let is_whole = match length {
                Some(length) => body.len() >= length.parse::<usize>().expect("a length"),
                None => body.ends_with(b"0\r\n\r\n"),
            };
            if is_whole {
                let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
                return status.expect("a status");
            }
        }
    }
}

/// The entries of a whole round, without ids and times.
pub(super) fn entries(n: u32) -> Vec<Value> {
    let start = json!({ "type": "START" });
    let steps = (0..STEPS).flat_map(|step| {
        let of = step_id(n, step);
        let action = action_id(n, step * ACTIONS);
        [
            json!({ "type": "SCAN", "stepId": of, "technology": "QR" }),
            json!({ "type": "RESULT", "stepId": of, "actionId": action, "booleanValue": true }),
            json!({ "type": "FINISH_STEP", "stepId": of }),
        ]
    });
    let end = json!({ "type": "COMPLETE" });
    [start].into_iter().chain(steps).chain([end]).collect()
}

/// When the board was told of changes, and of which rounds; of any, when they are not named.
fn listen(board: &Api, is_over: &AtomicBool) -> Vec<(Instant, String)> {
    let lines = BufReader::new(board.open("GET", "/rounds/live", None)).lines();
    let (mut told, mut is_change) = (Vec::new(), false);
    for line in lines.map_while(Result::ok) {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        if let Some(rounds) = line.strip_prefix("data:").filter(|_| is_change) {
            told.push((Instant::now(), rounds.trim().to_owned()));
        }
        is_change = line == "event: change";
    }
    told
}

/// The time from a change until the board was told.
fn delay((id, sent, answered): &Started, told: &[(Instant, String)]) -> Duration {
    let is_told = |(at, rounds): &&(Instant, String)| {
        if rounds.is_empty() { at >= answered } else { at >= sent && rounds.contains(id.as_str()) }
    };
    let (at, _) = told.iter().find(is_told).expect("the board is told of each change");
    at.duration_since(*sent)
}
