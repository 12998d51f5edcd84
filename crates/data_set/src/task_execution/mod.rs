//! Executions as lines, with the results that the API does not take.

mod read;
mod row;

pub(crate) use read::read;
pub(crate) use row::Row;
