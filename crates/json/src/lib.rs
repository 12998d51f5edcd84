//! Strict JSON: bounded documents, typed reading with the path of every fault, exact numbers out.
//!
//! [`document`] turns bytes into a tree, [`fields`] turns a tree into typed members, and
//! [`write`](mod@write) holds the forms in which values are written.

pub mod document;
pub mod fields;
mod whole;
pub mod write;
