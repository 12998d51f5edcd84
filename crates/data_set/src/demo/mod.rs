//! Demo data.
