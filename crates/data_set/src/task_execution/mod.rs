//! Executions as lines of the data set, including states, times and results.

mod read;
mod row;

pub(crate) use read::read;
pub(crate) use row::Row;
