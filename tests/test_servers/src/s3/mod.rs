//! A throwaway S3 server: `s3s` with the file system of `s3s-fs`, in its own process. It verifies
//! signatures and splits long lists into pages.
//!
//! The program is another target of this crate. When it has not been built, a test fails and says
//! so; it is never skipped. A server ends when the value is dropped or the test process ends,
//! however that happens.

mod program;
mod server;

pub use server::Server;
