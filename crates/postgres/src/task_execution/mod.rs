//! Task executions.

mod statements;

pub(crate) use statements::{find, insert, lock_assigned, lock_pending, page, remove, replace};
