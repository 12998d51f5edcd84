//! The rules of the domain, without a store, a clock or a network.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod by_hand;
mod check_list;
mod code;
mod copy;
mod data_set;
mod dates;
mod media;
mod patch;
mod point;
mod punctuality;
mod put;
mod report;
mod round;
mod sample;
mod schedule;
mod scheduled_task;
mod series;
mod series_plan;
mod sign_in;
mod status;
mod text;
mod user;
