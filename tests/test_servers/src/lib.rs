//! Throwaway servers for tests, so that nothing has to be installed or set up by hand:
//! [`postgres`], [`s3`], and the programs of Debian packages: [`debian`]. A test fails when its server
//! is missing, and is never skipped.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a harness reports by panicking, in the test that uses it"
)]

pub mod debian;
mod port;
pub mod postgres;
pub mod s3;

pub use port::free_port;
