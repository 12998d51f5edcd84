//! The ports of Patrol on PostgreSQL, and the engine for those of `patrol-repository`: a pool for
//! writes and lists, reads by id over a few shared connections, streaming lists. `docs/adr/0011-postgresql.md` has the reasons.

mod data_set;
mod dialect;
mod engine;
mod event;
mod figures;
mod idempotency;
mod list;
mod measure;
mod task_execution;
mod user_names;

pub use engine::{OpenError, Reader, Settings, SettingsError, Store};
