//! Task executions.

mod links;
pub(crate) mod search;
mod statements;

pub(crate) use links::Later;
pub(crate) use statements::{
    New, assigned, find, insert, insert_parts, insert_row, next_row, page, pending, remove, replace,
};
