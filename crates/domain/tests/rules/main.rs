//! The rules of the domain, without a store, a clock or a network.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod code;
mod copy;
mod data_set;
mod dates;
mod patch;
mod point;
mod put;
mod sample;
mod series;
mod sign_in;
mod status;
mod user;
