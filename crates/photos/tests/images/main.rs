//! Pictures as they may be sent: hostile, broken, or merely unusual.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::as_conversions)]

mod kept;
mod mutated;
mod refused;
mod sample;
