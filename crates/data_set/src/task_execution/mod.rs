//! Executions as lines, with the results that the API does not accept.

mod read;
mod row;

pub(crate) use read::read;
pub(crate) use row::Row;
