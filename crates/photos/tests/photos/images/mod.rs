//! Images that clients may send: hostile, broken, or unusual.

mod kept;
mod mutated;
mod refused;
mod sample;
