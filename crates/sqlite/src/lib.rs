//! Patrol on SQLite. `patrol-repository` implements most ports; this crate implements the others
//! and has the engine for all: one writer that commits in groups, separate reader threads,
//! streaming lists. `docs/adr/0004-sqlite.md` has the reasons.

mod data_set;
mod dialect;
mod engine;
mod event;
mod figures;
mod idempotency;
mod link;
mod list;
mod measure;
mod revision;
mod row;
mod running_requests;
mod task_execution;
#[cfg(test)]
mod tests;

pub use engine::{Access, OpenError, ProgramKind, Settings, Store};
