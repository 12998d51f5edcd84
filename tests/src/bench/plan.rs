//! The extent of the measurements.

use std::env;

/// The least number of executions, so that all searched records exist.
const LEAST: u32 = 1_000;

/// The parts of the section of a store.
const PARTS: [&str; 14] = [
    "start", "first", "reads", "pages", "rates", "lists", "cold", "counts", "search", "office",
    "writes", "round", "guards", "reports",
];

/// The settings from the environment.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Executions in the store: `BENCH_EXECUTIONS`.
    pub executions: u32,
    /// Rounds of each measurement.
    pub rounds: usize,
    /// Seconds of a round.
    pub seconds: u64,
    /// Whether this is a short trial run: `BENCH_QUICK=1`.
    pub quick: bool,
    /// The sizes for the growth, ascending: `BENCH_GROWTH`, separated by commas.
    pub growth: Vec<u32>,
    only: Option<Vec<String>>,
    parts: Option<Vec<String>>,
}

impl Plan {
    /// Reads the plan from the environment.
    ///
    /// # Panics
    /// When a value is not a number, or too small, or names no part.
    #[must_use]
    pub fn from_environment() -> Self {
        let quick = env::var_os("BENCH_QUICK").is_some_and(|value| value != "0");
        let number =
            |text: &str| text.trim().parse().unwrap_or_else(|_| panic!("{text:?} is no number"));
        let usual = if quick { 5_000 } else { 1_000_000 };
        let executions = env::var("BENCH_EXECUTIONS").map_or(usual, |text| number(&text));
        let mut growth: Vec<u32> = match env::var("BENCH_GROWTH") {
            Ok(sizes) => sizes.split(',').map(number).collect(),
            Err(_) => [executions / 100, executions / 10, executions].map(|n| n.max(LEAST)).into(),
        };
        growth.dedup();
        let least = growth.iter().fold(executions, |least, size| least.min(*size));
        assert!(least >= LEAST, "a bench needs {LEAST} executions or more: {growth:?}");
        let is_rising = growth.is_sorted() && growth.len() > 1;
        assert!(is_rising, "BENCH_GROWTH is two sizes or more, rising: {growth:?}");
        let (rounds, seconds) = if quick { (3, 1) } else { (5, 3) };
        let split = |names: String| names.split(',').map(|name| name.trim().to_owned()).collect();
        let [only, parts] =
            ["BENCH_ONLY", "BENCH_PARTS"].map(|name| env::var(name).ok().map(split));
        let unknown = parts.iter().flatten().find(|part: &&String| !PARTS.contains(&part.as_str()));
        assert!(unknown.is_none(), "{unknown:?} is none of {PARTS:?}");
        Self { executions, rounds, seconds, quick, growth, only, parts }
    }

    /// Whether to run a section: `BENCH_ONLY` lists some; by default all run.
    #[must_use]
    pub fn wants(&self, section: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == section))
    }

    /// Whether to run a part of the section of a store: `BENCH_PARTS` lists some; by default all run.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn wants_part(&self, part: &str) -> bool {
        assert!(PARTS.contains(&part), "{part} is none of {PARTS:?}");
        self.parts.as_ref().is_none_or(|parts| parts.iter().any(|name| name == part))
    }

    /// The variables of this plan, as they are written before a command.
    #[must_use]
    pub fn variables(&self) -> String {
        let set = |name| env::var(name).map(|value| format!("{name}={value} ")).unwrap_or_default();
        ["BENCH_QUICK", "BENCH_EXECUTIONS", "BENCH_GROWTH", "BENCH_ONLY", "BENCH_PARTS"]
            .map(set)
            .concat()
    }
}
