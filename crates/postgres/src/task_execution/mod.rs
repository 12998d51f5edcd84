//! Task executions.

mod statements;

pub(crate) use statements::{assigned, insert, remove, replace};
