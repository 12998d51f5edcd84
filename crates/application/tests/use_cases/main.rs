//! The use cases over mocked ports.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod access;
mod series;
mod task_execution;
