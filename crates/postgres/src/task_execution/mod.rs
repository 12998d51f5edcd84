//! Task executions.

mod statements;

pub(crate) use statements::{insert, lock, remove, replace};
