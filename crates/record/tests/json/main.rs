//! Strict JSON.

mod document;
mod fields;
mod write;
