//! The data set as import and export use it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests too

mod ahead;
mod forms;
mod lines;
mod password;
mod refusals;
mod round_trip;
mod sample;
