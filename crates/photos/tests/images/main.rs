//! Images that clients may send: hostile, broken, or unusual.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, clippy::as_conversions)]

mod kept;
mod mutated;
mod refused;
mod sample;
