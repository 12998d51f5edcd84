//! Strict JSON: bounded documents, typed reading with the path of every fault, exact numbers on
//! output.
//!
//! [`document`] parses bytes into a tree, [`fields`] reads a tree into typed members, and
//! [`write`](mod@write) has the output forms of values.

pub mod document;
pub mod fields;
mod whole;
pub mod write;
