//! The ports of Patrol on PostgreSQL, and the engine for those of `patrol-repository`: a pool for
//! writes and lists, reads by id over a few shared connections, streaming lists. `docs/adr/0011-postgresql.md` has the reasons.

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
mod list;
mod location;
mod measure;
mod names;
mod point;
mod reference;
mod repository;
mod scheduled_task;
mod task_execution;
mod user;

pub use engine::{OpenError, Reader, Settings, SettingsError, Store};
