//! The program as users see it: command lines, output, exit codes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod check;
mod data;
mod package;
#[cfg(not(feature = "s3"))]
mod plain;
#[cfg(feature = "s3")]
mod s3;
mod serve;
mod token;
mod usage;
mod user;
mod workspace;
