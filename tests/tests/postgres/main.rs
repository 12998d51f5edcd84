//! What is so on PostgreSQL only: several nodes of one database, and a database that comes and goes.
//! The tests of both stores are in `tests/api`; here is also the one that compares the two.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests report by panicking and look at the clock of the machine"
)]

mod commands;
mod crowded;
mod jobs;
mod nodes;
mod outages;
mod photos;
mod same;
mod sessions;
mod start;

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::execution_id;

/// Needs a token, and tells little.
const LIST: &str = "/task-executions/info?limit=0";

/// The path of the execution `n`.
fn path(n: u32) -> String {
    format!("/task-executions/{}", execution_id(n))
}

/// Asks until the answer is yes. When it is asked after `limit`, it has to be.
fn within(limit: Duration, what: &str, mut asked: impl FnMut() -> bool) {
    let started = Instant::now();
    loop {
        let begun = started.elapsed();
        if asked() {
            return;
        }
        assert!(begun < limit, "not within {limit:?}: {what}");
        thread::sleep(Duration::from_millis(50));
    }
}
