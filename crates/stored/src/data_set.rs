//! Import and export: the size of batches.

/// The records of a batch of an export: enough for a low overhead, few enough for little memory.
pub const BATCH: i64 = 128;
