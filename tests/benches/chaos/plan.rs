//! The number of rounds, and the guaranteed times.

use std::{
    env,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Guaranteed: full service this long after the end of the disturbance.
pub(crate) const WHOLE_WITHIN: Duration = Duration::from_secs(5);

/// Guaranteed: a response within the time limit of the pool; the rest is for a busy machine.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(7);

/// Guaranteed: readiness shows a change within a second; the rest is for a busy machine.
pub(crate) const READY_WITHIN: Duration = Duration::from_millis(2_500);

/// The number of rounds of each scenario.
pub(crate) struct Plan {
    /// Whether this is a short trial run.
    pub(crate) is_quick: bool,
    /// `kill -9` of a node, on each store.
    pub(crate) kills: u32,
    /// Immediate restarts of PostgreSQL.
    pub(crate) restarts: u32,
    /// Times that PostgreSQL hangs, refuses connections, or is stopped for a while.
    pub(crate) silences: u32,
    /// Times that all nodes are restarted one after another.
    pub(crate) rolls: u32,
    /// Tokens to revoke and roles to change.
    pub(crate) revocations: u32,
    only: Option<String>,
}

impl Plan {
    pub(crate) fn from_environment() -> Self {
        let is_quick = env::var_os("CHAOS_QUICK").is_some_and(|value| value != "0");
        let only = env::var("CHAOS_ONLY").ok();
        let of = |whole, quick| if is_quick { quick } else { whole };
        Self {
            is_quick,
            kills: of(50, 5),
            restarts: of(20, 3),
            silences: of(2, 1),
            rolls: of(3, 1),
            revocations: of(5, 1),
            only,
        }
    }

    /// Whether to run a scenario: `CHAOS_ONLY` lists some; by default all run.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name))
    }
}

/// A random time between two others.
pub(crate) fn between(least: Duration, most: Duration) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    least + (most - least).mul_f64(f64::from(now.subsec_nanos() % 1_000) / 1_000.0)
}
