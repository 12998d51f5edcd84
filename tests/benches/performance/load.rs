//! The load generator: wrk, with 2 threads and 64 connections.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
};

use crate::bench::Bench;

/// Named in the report.
pub(crate) const WRK: [&str; 2] = ["-t2", "-c64"];

/// What is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Requests<'a> {
    /// Always this path, below `/v1`.
    Same(&'a str),
    /// Completed executions at random, by id.
    Reads,
    /// Planned executions at random, each moved to an hour at random.
    Moves,
    /// Planned executions at random, each described anew.
    Descriptions,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    /// Answers a second.
    pub(crate) rate: f64,
    /// Half of them came within so many milliseconds.
    pub(crate) p50: f64,
    /// 99 of 100 of them did.
    pub(crate) p99: f64,
}

/// Makes sure that wrk is there, or says what to do.
pub(crate) fn require_wrk() {
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
/// When a request fails: the speed of errors is nobody's business.
pub(crate) fn round(bench: &Bench, address: &str, requests: Requests<'_>) -> Answered {
    let (kind, path, ids) = match requests {
        Requests::Same(path) => ("same", path, "completed.txt"),
        Requests::Reads => ("reads", "", "completed.txt"),
        Requests::Moves => ("moves", "", "pending.txt"),
        Requests::Descriptions => ("descriptions", "", "pending.txt"),
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/performance/load.lua");
    let output = Command::new("wrk")
        .args(WRK)
        .arg(format!("-d{}s", bench.plan.seconds))
        .arg("-s")
        .arg(script)
        .arg(format!("http://{address}/v1{path}"))
        .env("BENCH_REQUESTS", kind)
        .env("BENCH_TOKEN", &bench.token)
        .env("BENCH_IDS", bench.file(ids))
        .stdin(Stdio::null())
        .output()
        .expect("wrk runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let report = text.lines().find_map(|line| line.strip_prefix("report "));
    let report = report.unwrap_or_else(|| panic!("wrk says nothing: {output:?}"));
    let figures: Vec<f64> = report.split(' ').map(|figure| figure.parse().unwrap()).collect();
    let [requests, micros, p50, p99, errors] = figures[..] else { panic!("{report}") };
    assert!(requests > 0.0 && errors == 0.0, "{errors} errors: {text}");
    Answered { rate: requests / micros * 1e6, p50: p50 / 1e3, p99: p99 / 1e3 }
}

/// Rounds of two kinds in turn, after one of each that does not count, each on its server: what
/// disturbs the machine meets both.
pub(crate) fn in_turn(
    rounds: usize,
    mut one: impl FnMut() -> Answered,
    mut other: impl FnMut() -> Answered,
) -> [Answered; 2] {
    one();
    other();
    let (ones, others): (Vec<_>, Vec<_>) = (0..rounds).map(|_| (one(), other())).unzip();
    [middle(&ones), middle(&others)]
}

/// Medians of each figure.
fn middle(rounds: &[Answered]) -> Answered {
    let of = |figure: fn(&Answered) -> f64| median(rounds.iter().map(figure));
    Answered { rate: of(|it| it.rate), p50: of(|it| it.p50), p99: of(|it| it.p99) }
}

/// The median.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Gives the machine a moment to write out what is behind.
pub(crate) fn settle() {
    thread::sleep(std::time::Duration::from_millis(500));
}
