//! A whole round in one report, and media.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Wire,
    bench::{
        company,
        load::median,
        process::Process,
        report::{Goals, Row},
    },
    execution_id,
};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{counts::ask, guards};
use crate::subject::Subject;

/// The entries of a report, the most of one request.
const ENTRIES: usize = 1_000;

/// The rounds with a verdict, two pages.
const FLAGGED: u32 = 100;

/// The size of a medium, the greatest that is taken, in MiB.
const MEDIUM: usize = 50;

/// The list of rounds with verdicts, and media.
pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    flagged(subject, goals);
    for (at_once, goal) in [(1, 32.0), (20, 128.0)] {
        media(subject, at_once, goal, goals);
    }
}

fn flagged(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    // Notes that come late.
    for n in 0..FLAGGED {
        let id = format!("0190a000-000d-7000-8000-{:012x}", u32::MAX - n);
        let note = json!({ "id": id, "type": "NOTE", "at": "2026-01-01T00:00:00Z" });
        let path = format!("/task-executions/{}/reports", execution_id(n));
        let _ = api.post(&path, &json!([note])).ok();
    }
    let path = "/v1/task-executions/info?flagged=true&sort=startAt,desc&limit=50";
    let first = ask(&api, path);
    let again = median((0..subject.plan.rounds).map(|_| ask(&api, path)));
    let row = Row::new("list with flagged=true", format!("{again:.1} ms"));
    goals.add(row.beside(format!("first after the start {first:.0} ms")));
}

/// A whole round in one report.
pub(crate) fn whole_round(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    let pending = |n: &u32| company::is_pending(*n) && company::is_published(*n);
    // The last ones, because the guards walk the first.
    let rounds = (0..subject.store.executions()).rev().filter(pending);
    let times = rounds.take(subject.plan.rounds).map(|n| {
        let path = format!("/task-executions/{}/reports", execution_id(n));
        let body = json!(whole(n));
        let start = Instant::now();
        let answer = api.post(&path, &body);
        let took = start.elapsed().as_secs_f64() * 1e3;
        let told = answer.ok();
        let is_accepted = |entry: &Value| entry["outcome"] == "ACCEPTED";
        assert!(
            told["entries"].as_array().is_some_and(|all| all.iter().all(is_accepted)),
            "{told}"
        );
        assert_eq!(told["execution"]["state"], "COMPLETED");
        took
    });
    let time = median(times.collect::<Vec<_>>());
    goals.add(
        Row::new(format!("a round of {ENTRIES} entries in one report"), format!("{time:.0} ms"))
            .at_most(time, subject.kind.pick(150.0, 300.0), "ms"),
    );
}

/// The entries of a whole round. Those of its steps are repeated, as by a guard who corrects results.
fn whole(n: u32) -> Vec<Value> {
    let once = guards::entries(n);
    let [start, steps @ .., end] = once.as_slice() else {
        unreachable!("a round has a start and an end")
    };
    let middle = steps.iter().cycle().take(ENTRIES - 2);
    let all = [start].into_iter().chain(middle).chain([end]).cloned().zip(0..);
    // An old time would be a verdict on each entry.
    let now = OffsetDateTime::now_utc().format(&Rfc3339).expect("a time");
    let all = all.map(|(mut entry, number): (Value, u32)| {
        entry["id"] = json!(format!("0190a000-000d-7000-8000-{n:08x}{number:04x}"));
        entry["at"] = json!(now);
        entry
    });
    all.collect()
}

/// How much more memory a server needs while this many clients send a medium each and read it.
fn media(subject: &Subject<'_>, at_once: usize, goal: f64, goals: &mut Goals) {
    let server = subject.serve();
    thread::sleep(Duration::from_secs(1));
    let before = server.memory("VmRSS");
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| sent_and_read(subject, &server));
        }
    });
    let (seconds, more) = (start.elapsed().as_secs_f64(), server.memory("VmHWM") - before);
    let what = format!("{at_once} × {MEDIUM} MiB of media sent and read, memory above idle");
    goals.add(
        Row::new(what, format!("{more:.0} MB"))
            .beside(format!("{seconds:.1} s"))
            .at_most(more, goal, "MB"),
    );
}

fn sent_and_read(subject: &Subject<'_>, server: &Process) {
    const PIECE: usize = 1 << 16;
    let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
    let (end, size) = ("\r\n--b--\r\n", MEDIUM << 20);
    let mut wire = Wire::connect(server.address());
    wire.send(format!(
        "POST /v1/media HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
        Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {}\r\n\r\n{head}",
        server.address(),
        subject.store.token(),
        head.len() + size + end.len(),
    ));
    // The first bytes of a JPEG.
    let mut piece = vec![0; PIECE];
    piece[..4].copy_from_slice(b"\xff\xd8\xff\xe0");
    for _ in 0..size / PIECE {
        wire.send(&piece);
    }
    wire.send(end);
    let answer = wire.read_to_end().expect("an answer");
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let body = answer.split("\r\n\r\n").nth(1).expect("a body");
    let record: Value = serde_json::from_str(body).expect("a record");
    let id = record["id"].as_str().expect("an id");
    let mut file = subject.api(server).open("GET", &format!("/v1/media/{id}/file"), None);
    let read = io::copy(&mut file, &mut io::sink()).expect("the file is whole");
    assert_eq!(usize::try_from(read).ok(), Some(size));
}
