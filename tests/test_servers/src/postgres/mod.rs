//! A throwaway PostgreSQL server.
//!
//! - [`Database::fresh`] is right for most tests: a database of its own on a server that all tests
//!   of a run share. It is fast, and a crash loses its data.
//! - [`Server::start`] is a server for one test, which may stop, kill or freeze it, or add a
//!   standby.
//!
//! The programs of PostgreSQL are searched where Debian installs them, and in `PATH`. When they are
//! missing, tests that run as root install the Debian package; other users get an error with
//! advice. A test is never skipped because there is no server. `PATROL_TEST_POSTGRES_VERSION` asks
//! for a major version; npm installs one that Debian does not have. With
//! `PATROL_TEST_POSTGRES_URL`, the URL of a user who may create databases, the shared server is
//! that one.
//!
//! When the tests run as root, servers run as another user. Servers stop by themselves soon after
//! the last test, however it ends.

mod database;
mod folder;
mod keeper;
mod package;
mod process;
mod programs;
mod server;
mod shared;
mod sql;

pub use database::Database;
pub(crate) use folder::lock;
pub(crate) use process::run;
pub use server::{Durability, Server, Stop};
pub use sql::{execute, query};
