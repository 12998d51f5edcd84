//! A throwaway PostgreSQL server for tests, so that nothing has to be installed or set up by hand.
//!
//! - [`Database::fresh`] is what most tests want: a database of their own on a server that all tests
//!   of a run share. It is fast and forgets everything in a crash.
//! - [`Server::start`] is a server of a test's own, which it may stop, kill, freeze, or follow with
//!   a standby.
//!
//! The programs of PostgreSQL are looked for where Debian puts them, and in `PATH`. When they are
//! missing, whoever runs as root gets the Debian package installed, anybody else an error that says
//! what to do. A test never passes by for want of a server. With `PATROL_TEST_POSTGRES_URL`, a URL
//! of somebody who may create databases, the shared server is that one.
//!
//! Servers run as another user when the tests run as root, and end by themselves soon after the
//! last test, however that ends.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a harness reports by panicking, in the test that uses it"
)]

mod database;
mod folder;
mod keeper;
mod port;
mod process;
mod programs;
mod server;
mod shared;
mod sql;

pub use database::Database;
pub use port::free_port;
pub use server::{Durability, Server, Stop};
pub use sql::{execute, query};
