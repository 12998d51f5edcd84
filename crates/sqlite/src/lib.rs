//! The ports of Patrol on SQLite, and the engine for those of `patrol-repository`: one writer that
//! commits in groups, separate reader threads, streaming lists. `docs/adr/0004-sqlite.md` has the reasons.

mod access;
mod change;
mod check_list;
mod data_set;
mod engine;
mod event;
mod graphic_plan;
mod holder;
mod idempotency;
mod job;
mod link;
mod list;
mod location;
mod measure;
mod names;
mod point;
mod reference;
mod repository;
mod revision;
mod scheduled_task;
mod statement;
mod task_execution;
#[cfg(test)]
mod tests;
mod user;

pub use engine::{Access, LockPatience, OpenError, Settings, Store};
