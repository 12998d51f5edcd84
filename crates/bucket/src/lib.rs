//! A throwaway S3 server for tests, so that nothing has to be installed or set up by hand: `s3s` with
//! the file system of `s3s-fs`, in a process of its own. It verifies signatures, and answers long
//! lists page by page.
//!
//! The program is another target of this crate. When it has not been built, a test fails and says
//! so: none passes by for want of a server. A server ends with the value, or with the process that
//! started it, however that ends.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a harness reports by panicking, in the test that uses it"
)]

mod program;
mod server;

pub use server::Server;
