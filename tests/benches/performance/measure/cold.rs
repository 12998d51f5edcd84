//! Reads when nothing of the store is in memory, as after a reboot.

use std::fs;

use patrol_test_servers::postgres::query;
use patrol_tests::bench::{
    load::median,
    machine,
    process::Process,
    report::{Goals, Row, rate},
};

use super::counts::ask;
use crate::subject::{EXECUTIONS, Kind, Subject};

/// The number of records that are read by id.
const READS: usize = 1_000;

/// The number of pages of the list.
const PAGES: usize = 200;

/// The unit of the figures, in bytes: a page of SQLite, half of one of PostgreSQL.
const UNIT: f64 = 4_096.0;

/// Requests in a row are this far apart, in records. It is a prime, so that none comes twice.
const STRIDE: usize = 7_919;

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let ids = fs::read_to_string(subject.store.completed()).expect("the ids");
    let ids: Vec<_> = ids.lines().collect();
    let reads = (0..READS.min(ids.len()))
        .map(|at| format!("{EXECUTIONS}{}", ids[at.wrapping_mul(STRIDE) % ids.len()]));
    let Cost { pages, millis } = cost(subject, &start(subject), reads);
    goals.add(
        Row::new("read by id, cold, from disk", format!("{pages:.1} pages of 4 KB"))
            .beside(format!("one client, median {millis:.2} ms")),
    );
    let answered = subject.reads(&start(subject));
    goals.add(
        Row::new("read by id, cold, 64 connections", rate(answered.rate))
            .beside(format!("p50 / p99 {:.2} / {:.2} ms", answered.p50, answered.p99)),
    );
    let list = |offset: usize| {
        let list = "/v1/task-executions/info?state=COMPLETED&sort=startAt,desc&limit=50";
        format!("{list}&offset={offset}")
    };
    let mut first = |name, path| {
        let server = start(subject);
        let Cost { pages, millis } = cost(subject, &server, [path]);
        goals.add(
            Row::new(name, format!("{millis:.0} ms"))
                .beside(format!("{:.1} MB from disk", pages * UNIT / 1e6))
                .at_most(millis, 500.0, "ms"),
        );
        server
    };
    let late = "/v1/task-executions/info?late=true&limit=50".to_owned();
    drop(first("the first list of late rounds, cold", late));
    let server = first("the first list, cold", list(0));
    let executions = usize::try_from(subject.store.executions()).expect("a number");
    // Nearly three in four are completed.
    let offsets = (1..=PAGES).map(|at| list(at.wrapping_mul(STRIDE) % (executions * 7 / 10)));
    let Cost { pages, millis } = cost(subject, &server, offsets);
    goals.add(
        Row::new("further pages of 50, cold, from disk", format!("{pages:.1} pages of 4 KB"))
            .beside(format!("one client, median {millis:.1} ms")),
    );
}

/// The mean number of pages that a request reads from disk, and the median of its time.
struct Cost {
    pages: f64,
    millis: f64,
}

/// Asks for each path once, one after the other.
fn cost(subject: &Subject<'_>, server: &Process, paths: impl IntoIterator<Item = String>) -> Cost {
    let api = subject.api(server);
    let before = disk_reads(subject, server);
    let times: Vec<_> = paths.into_iter().map(|path| ask(&api, &path)).collect();
    let read = disk_reads(subject, server).saturating_sub(before);
    Cost { pages: read as f64 / UNIT / times.len() as f64, millis: median(times) }
}

/// A new server after the store has left all memory.
fn start(subject: &Subject<'_>) -> Process {
    match subject.kind {
        Kind::Sqlite => {
            let files = ["patrol.db", "patrol.db-wal"].map(|name| subject.store.file(name));
            files.iter().filter(|file| file.exists()).for_each(|file| machine::evict(file));
        }
        Kind::Postgres(cluster) => cluster.restart_cold(),
    }
    subject.serve()
}

/// The bytes that the processes with the store open have read from disk.
fn disk_reads(subject: &Subject<'_>, server: &Process) -> u64 {
    let processes = match subject.kind {
        Kind::Sqlite => vec![server.id()],
        Kind::Postgres(_) => {
            let sessions = "SELECT pid FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()";
            let told = query(subject.store.url(), sessions);
            told.iter().map(|id| id.parse().expect("a process id")).collect()
        }
    };
    processes.into_iter().filter_map(machine::disk_reads).sum()
}
