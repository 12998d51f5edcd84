//! Reading and writing of the data set.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // helpers of tests too

mod forms;
mod lines;
mod password;
mod read_ahead;
mod refusals;
mod round_trip;
mod sample;
