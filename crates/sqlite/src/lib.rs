//! The ports of Patrol on SQLite (architecture 4): one writer that commits in groups, readers with
//! threads of their own, lists that stream.

mod access;
mod check_list;
mod data_set;
mod engine;
mod job;
mod list;
mod location;
mod photo;
mod point;
mod reference;
mod revision;
mod schema;
mod series;
mod task_execution;
#[cfg(test)]
mod tests;
mod update;
mod user;
mod value;

pub use engine::{Access, LockPatience, OpenError, Settings, Store};
