//! Behaviour on SQLite only, because the store is a file that is locked as a whole. The tests of
//! both stores are in `tests/api`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test reports by panicking"
)]

mod commands;
#[cfg(target_os = "linux")]
mod full_disk;
mod starving;
