//! What only the shipped program has, which is built with the features `s3` and `traces`: photos on S3
//! and traces. Run by `make test-all`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests report by panicking and look at the clock of the machine"
)]

mod jobs;
mod nodes;
mod s3;
mod traces;
