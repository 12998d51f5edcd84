//! The harness of the black-box tests. It uses the program like its users: by commands, settings
//! and the API. `tests/README.md` lists which test shows each sentence of the contract.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a harness reports by panicking, in the test that uses it"
)]
#![allow(clippy::disallowed_methods, reason = "the tests look at the clock of the machine")]

mod answer;
pub mod bench;
mod certificate;
mod client;
pub mod company;
mod data_set;
mod demo;
mod execution;
mod form;
pub mod pictures;
mod program;
mod promtool;
pub mod provider;
pub mod round;
mod running;
mod schema;
mod server;
mod site;
mod store;
mod wait;
mod wire;

pub use answer::{Answer, Refusal, detail};
pub use certificate::{Certificate, replace};
pub use client::{Api, escaped, http};
pub use data_set::{DataSet, with};
pub use demo::Demo;
pub use execution::{action_id, completed, execution_id, in_progress, planned, series_of, step_id};
pub use form::Form;
pub use program::{NEEDING_A_STORE, Outcome, program};
pub use promtool::promtool;
pub use running::Running;
pub use schema::{Description, check_times};
pub use server::Server;
pub use site::{Page, SiteClient};
pub use store::{Store, Template};
pub use wait::within;
pub use wire::Wire;
