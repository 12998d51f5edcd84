//! Task executions.

pub(crate) mod search;
mod statements;

pub(crate) use statements::{
    PreparedExecution, insert, insert_parts, insert_row, next_row, remove, replace,
};
