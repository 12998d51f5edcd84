//! Task executions.

pub(crate) mod search;
mod statements;

pub(crate) use statements::{
    PreparedExecution, assigned, insert, insert_parts, insert_row, next_row, remove, replace,
};
