//! The program from outside, over HTTP and by its commands. One test program, because linking takes
//! longer than running. `tests/README.md` lists which test shows each sentence of the contract.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests report by panicking and look at the clock of the machine"
)]

mod access;
mod changes_in_the_log;
mod check_lists;
mod commands;
mod concurrency;
mod connections;
mod cors;
mod demo;
mod description;
mod durability;
mod errors;
mod events;
mod figures;
mod folding;
mod graphic_plans;
mod health;
mod idempotency;
mod import;
mod invitations;
mod jwts;
mod list;
mod locations;
mod media;
mod monitoring;
mod outside;
mod photos;
mod points;
mod random;
mod reports;
mod rounds;
mod scheduled_tasks;
mod schedules;
mod series_plan;
mod site;
mod task_executions;
mod tls;
mod tokens;
mod trusted_proxies;
mod users;
