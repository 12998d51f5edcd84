//! Task executions.

mod statements;

pub(crate) use statements::{
    find, insert, lock_assigned, lock_pending, query, read, remove, replace,
};
