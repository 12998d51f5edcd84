//! As much load as a server takes: wrk, with 2 threads and 64 connections.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use super::store;

/// Named in the report.
pub const WRK: [&str; 3] = ["-t2", "-c64", "--timeout=10s"];

const SCRIPT: &str = include_str!("load.lua");

/// Who is asked.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Host and port.
    pub address: &'a str,
    /// Sent as `Authorization: Bearer`; an empty one is not.
    pub token: &'a str,
}

/// What is asked for. Paths begin with a slash.
#[derive(Clone, Copy, Debug)]
pub enum Requests<'a> {
    /// Always this path.
    Same(&'a str),
    /// A line of a file at random, each time another.
    Each {
        /// The path before the line.
        before: &'a str,
        /// The file.
        ids: &'a Path,
        /// The path after the line.
        after: &'a str,
    },
    /// A change of an execution of Patrol at random.
    Change {
        /// The path before the id.
        before: &'a str,
        /// The file with ids, one a line.
        ids: &'a Path,
        /// What is changed.
        what: Change,
    },
}

/// What is changed in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its times, to an hour at random: they are in indexes.
    Times,
    /// Its description, which is searched.
    Description,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// Answers a second.
    pub rate: f64,
    /// Half of them came within so many milliseconds.
    pub p50: f64,
    /// 99 of 100 of them did.
    pub p99: f64,
}

impl Answered {
    /// What nobody waited for: only the rate is known.
    #[must_use]
    pub const fn at(rate: f64) -> Self {
        Self { rate, p50: f64::NAN, p99: f64::NAN }
    }
}

/// Makes sure that wrk is there, or says what to do.
///
/// # Panics
/// When it is not to be had.
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
    attempt(target, requests, seconds).unwrap_or_else(|reason| panic!("{reason}"))
}

/// The same, on a server that may fail.
///
/// # Errors
/// When a request fails: what wrk says.
///
/// # Panics
/// When wrk does not run.
pub fn attempt(
    target: Target<'_>,
    requests: Requests<'_>,
    seconds: u64,
) -> Result<Answered, String> {
    let nothing = Path::new("");
    let (kind, path, before, ids, after) = match requests {
        Requests::Same(path) => ("same", path, "", nothing, ""),
        Requests::Each { before, ids, after } => ("each", "/", before, ids, after),
        Requests::Change { before, ids, what: Change::Times } => ("times", "/", before, ids, ""),
        Requests::Change { before, ids, what: Change::Description } => {
            ("description", "/", before, ids, "")
        }
    };
    let script = store::directory().join("load.lua");
    fs::write(&script, SCRIPT).expect("the script is written");
    let output = Command::new("wrk")
        .args(WRK)
        .arg(format!("-d{seconds}s"))
        .arg("-s")
        .arg(script)
        .arg(format!("http://{}{path}", target.address))
        .env("BENCH_REQUESTS", kind)
        .env("BENCH_TOKEN", target.token)
        .env("BENCH_BEFORE", before)
        .env("BENCH_IDS", ids)
        .env("BENCH_AFTER", after)
        .stdin(Stdio::null())
        .output()
        .expect("wrk runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report = text.lines().find_map(|line| line.strip_prefix("report "));
    let report = report.ok_or_else(|| format!("wrk says nothing: {output:?}"))?;
    let figures: Vec<f64> = report.split(' ').map(|figure| figure.parse().unwrap()).collect();
    let [requests, micros, p50, p99, errors] = figures[..] else { panic!("{report}") };
    if requests == 0.0 || errors > 0.0 {
        return Err(format!("{errors} errors: {text}"));
    }
    Ok(Answered { rate: requests / micros * 1e6, p50: p50 / 1e3, p99: p99 / 1e3 })
}

/// Rounds of several kinds in turn, after one of each that does not count: what disturbs the machine
/// meets all of them. Medians of each figure, in the order of the kinds.
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

/// Medians of each figure.
fn middle(rounds: &[Answered]) -> Answered {
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

/// Gives the machine a moment to write out what is behind.
pub fn settle() {
    thread::sleep(Duration::from_millis(500));
}
