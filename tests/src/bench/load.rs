//! Load up to the capacity of a server: wrk, with 2 threads and 64 connections.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use super::store;

/// The usual number of connections of wrk.
pub const CONNECTIONS: u32 = 64;

/// The other arguments of wrk.
const WRK: [&str; 2] = ["-t2", "--timeout=10s"];

const SCRIPT: &str = include_str!("load.lua");

/// The server under load.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Host and port.
    pub address: &'a str,
    /// Sent as `Authorization: Bearer`, unless it is empty.
    pub token: &'a str,
}

/// The kind of requests. Paths begin with a slash.
#[derive(Clone, Copy, Debug)]
pub enum Requests<'a> {
    /// Always the same path.
    Same(&'a str),
    /// A random line of a file for each request.
    Each {
        /// The path before the line.
        before: &'a str,
        /// The file.
        ids: &'a Path,
        /// The path after the line.
        after: &'a str,
    },
    /// A change of a random execution of Patrol.
    Change {
        /// The path before the id.
        before: &'a str,
        /// The file with ids, one per line.
        ids: &'a Path,
        /// The members to change.
        what: Change,
        /// Whether each request has an `Idempotency-Key` of its own.
        keyed: bool,
    },
}

/// The members to change in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its times, to a random hour: they are indexed.
    Times,
    /// Its description, which is searched.
    Description,
}

/// The results of a round.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// Responses per second.
    pub rate: f64,
    /// The median latency, in milliseconds.
    pub p50: f64,
    /// The 99th percentile of the latency, in milliseconds.
    pub p99: f64,
}

/// A round of load in which requests may have failed.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// The rate and the latencies of all responses.
    pub answered: Answered,
    /// The number of responses.
    pub requests: f64,
    /// The number of responses with a status of 400 or more, and of requests without a response.
    pub failed: f64,
}

impl Answered {
    /// A result without latencies.
    #[must_use]
    pub const fn at(rate: f64) -> Self {
        Self { rate, p50: f64::NAN, p99: f64::NAN }
    }
}

/// The usual arguments of wrk, for the report.
#[must_use]
pub fn arguments() -> String {
    format!("{} -c{CONNECTIONS}", WRK.join(" "))
}

/// Checks that wrk is installed, or installs it.
///
/// # Panics
/// When it is not available.
pub fn require_wrk() {
    let is_there = || Command::new("wrk").arg("-v").output().is_ok();
    if is_there() {
        return;
    }
    eprintln!("wrk is missing; trying apt-get install");
    let install = Command::new("apt-get").args(["install", "-y", "wrk"]).output();
    let is_installed = install.is_ok_and(|output| output.status.success());
    assert!(
        is_installed && is_there(),
        "the bench needs wrk: install it (Debian: apt install wrk)"
    );
}

/// A round of load.
///
/// # Panics
/// When a request fails.
#[must_use]
pub fn round(target: Target<'_>, requests: Requests<'_>, seconds: u64) -> Answered {
    attempt(target, requests, CONNECTIONS, seconds).unwrap_or_else(|reason| panic!("{reason}"))
}

/// Like [`round`], from this number of connections, for a server that may fail.
///
/// # Errors
/// When a request fails, with the output of wrk.
///
/// # Panics
/// When wrk does not run.
pub fn attempt(
    target: Target<'_>,
    requests: Requests<'_>,
    connections: u32,
    seconds: u64,
) -> Result<Answered, String> {
    let (round, output) = run(target, requests, connections, seconds)?;
    let Round { answered, requests, failed } = round;
    if requests == 0.0 {
        return Err("it answers no request in a round".to_owned());
    }
    if failed > 0.0 {
        return Err(format!("{failed} errors: {output}"));
    }
    Ok(answered)
}

/// A round of load from this number of connections, in which requests may fail.
///
/// # Panics
/// When wrk does not run.
#[must_use]
pub fn round_with_failures(
    target: Target<'_>,
    requests: Requests<'_>,
    connections: u32,
    seconds: u64,
) -> Round {
    let done = run(target, requests, connections, seconds);
    done.unwrap_or_else(|reason| panic!("{reason}")).0
}

/// A round, with the output of wrk.
fn run(
    target: Target<'_>,
    requests: Requests<'_>,
    connections: u32,
    seconds: u64,
) -> Result<(Round, String), String> {
    let nothing = Path::new("");
    let (kind, path, before, ids, after, keyed) = match requests {
        Requests::Same(path) => ("same", path, "", nothing, "", false),
        Requests::Each { before, ids, after } => ("each", "/", before, ids, after, false),
        Requests::Change { before, ids, what, keyed } => {
            let kind = match what {
                Change::Times => "times",
                Change::Description => "description",
            };
            (kind, "/", before, ids, "", keyed)
        }
    };
    let script = store::directory().join("load.lua");
    fs::write(&script, SCRIPT).expect("the script is written");
    let output = Command::new("wrk")
        .args(WRK)
        .arg(format!("-c{connections}"))
        .arg(format!("-d{seconds}s"))
        .arg("-s")
        .arg(script)
        .arg(format!("http://{}{path}", target.address))
        .env("BENCH_REQUESTS", kind)
        .env("BENCH_TOKEN", target.token)
        .env("BENCH_BEFORE", before)
        .env("BENCH_IDS", ids)
        .env("BENCH_AFTER", after)
        .env("BENCH_KEYED", keyed.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("wrk runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = text.lines().find_map(|line| line.strip_prefix("report "));
    let report = report.ok_or_else(|| format!("wrk says nothing: {output:?}"))?;
    let figures: Vec<f64> = report.split(' ').map(|figure| figure.parse().unwrap()).collect();
    let [requests, micros, p50, p99, failed] = figures[..] else { panic!("{report}") };
    let answered = Answered { rate: requests / micros * 1e6, p50: p50 / 1e3, p99: p99 / 1e3 };
    Ok((Round { answered, requests, failed }, text))
}

/// Runs rounds of several kinds in turn, after a warm-up round of each, so that disturbances of the
/// machine affect all of them. Returns the median of each figure, in the order of the kinds.
pub fn in_turn(rounds: usize, kinds: &mut [&mut dyn FnMut() -> Answered]) -> Vec<Answered> {
    for kind in &mut *kinds {
        let _ = kind();
    }
    let mut answered = vec![Vec::with_capacity(rounds); kinds.len()];
    for _ in 0..rounds {
        for (kind, answered) in kinds.iter_mut().zip(&mut answered) {
            answered.push(kind());
        }
    }
    answered.iter().map(|rounds| middle(rounds)).collect()
}

/// The median of each figure.
///
/// # Panics
/// When there are no rounds.
#[must_use]
pub fn middle(rounds: &[Answered]) -> Answered {
    let of = |figure: fn(&Answered) -> f64| median(rounds.iter().map(figure));
    Answered { rate: of(|it| it.rate), p50: of(|it| it.p50), p99: of(|it| it.p99) }
}

/// The median.
///
/// # Panics
/// When there are no values.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Waits until the machine has written pending data to disk.
pub fn settle() {
    thread::sleep(Duration::from_millis(500));
}
