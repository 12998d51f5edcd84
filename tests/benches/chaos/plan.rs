//! How much is done.

use std::{
    env,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// The promise: full service so long after what disturbed it is over (issue "outages").
pub(crate) const WHOLE_WITHIN: Duration = Duration::from_secs(5);

/// The promise: an answer within the pool's time limit, and some room for a busy machine.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(7);

/// The promise: readiness tells of a change within a second, and some room for a busy machine.
pub(crate) const READY_WITHIN: Duration = Duration::from_millis(2_500);

/// How many rounds of each.
pub(crate) struct Plan {
    /// Whether this is only a try.
    pub(crate) is_quick: bool,
    /// `kill -9` of a node, on each store.
    pub(crate) kills: u32,
    /// Immediate restarts of PostgreSQL.
    pub(crate) restarts: u32,
    /// Times that PostgreSQL hangs, refuses, or is gone for a while.
    pub(crate) silences: u32,
    /// Times that all nodes are restarted one after another.
    pub(crate) rolls: u32,
    /// Tokens that are revoked and roles that are changed.
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

    /// Whether a scenario is wanted: all of them, unless `CHAOS_ONLY` names some.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name))
    }
}

/// A time between two others, another one each time.
pub(crate) fn between(least: Duration, most: Duration) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    least + (most - least).mul_f64(f64::from(now.subsec_nanos() % 1_000) / 1_000.0)
}
