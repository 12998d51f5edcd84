//! The program as a person meets it: what is typed, what is answered, exit codes.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod check;
mod data;
mod serve;
mod site;
mod token;
mod usage;
