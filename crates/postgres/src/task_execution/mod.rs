//! Task executions.

mod statements;

pub(crate) use statements::{assigned, insert, lock, remove, replace};
