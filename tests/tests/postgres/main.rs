//! Behaviour on PostgreSQL only: several nodes of one database, and outages of the database. The
//! tests of both stores are in `tests/api`; the test that compares both stores is here.
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
mod events;
mod idempotency;
mod nodes;
mod outages;
mod query_plans;
mod rounds;
mod same;
mod sessions;
mod site;
mod start;

use patrol_tests::execution_id;

/// Needs a token and has a short response.
const LIST: &str = "/task-executions/info?limit=0";

/// The path of execution `n`.
fn path(n: u32) -> String {
    format!("/task-executions/{}", execution_id(n))
}
