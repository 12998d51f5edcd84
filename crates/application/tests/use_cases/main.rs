//! The use cases with mocked ports.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod access;
mod check_list;
mod location;
mod photo;
mod point;
mod series;
mod task_execution;
mod user;
