//! The program against its own API document: schemathesis sends what the document allows and what it
//! forbids, and a client generated from it calls every operation. Both are Python programs; the
//! folder `tests/verification` has their versions, their settings and what they run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests report by panicking and look at the clock of the machine"
)]

mod client;
mod document;
mod environment;
