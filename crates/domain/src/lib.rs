//! The domain of Patrol: the entities of guard tours, their rules, and the ports that the rest of
//! the program implements.
//!
//! Everything here is pure: no store, no clock, no network, no JSON. Times and new ids are
//! parameters, so that a rule called twice with the same arguments gives the same result.

pub mod access;
pub mod check_list;
pub mod data_set;
pub mod event;
pub mod job;
pub mod list;
pub mod location;
pub mod photo;
pub mod point;
pub mod series;
pub mod shared;
pub mod task_execution;
pub mod user;

pub use shared::{
    error::{EditError, StoreError},
    existing::{Existing, References},
    fault::{Fault, Faults, MOST_FAULTS, Path, Refusal, Rule},
    ids,
    named::Named,
    patch::Patch,
    ports::{Clock, Figure, FigureKind, Ids, Monitored, Readiness},
    rules::{Limits, Rules},
    tally::Tally,
    timestamp::Timestamp,
    version::{Version, Versioned},
};
