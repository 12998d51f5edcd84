//! The domain of Patrol: the entities of guard tours, their rules, and the ports that other crates
//! implement.
//!
//! The rules are pure: they use no store, clock, network or JSON. Times and new ids are parameters, so
//! a rule gives the same result for the same arguments. The one function that calls a port is
//! [`user::identify`], which three crates share.

pub mod access;
pub mod check_list;
pub mod data_set;
pub mod event;
pub mod figures;
pub mod graphic_plan;
pub mod idempotency;
pub mod job;
pub mod list;
pub mod location;
pub mod media;
pub mod photo;
pub mod point;
pub mod report;
pub mod schedule;
pub mod scheduled_task;
pub mod series;
pub mod shared;
pub mod sign_in;
pub mod task_execution;
pub mod user;

pub use shared::{
    counter::{Counter, TimeCounter},
    drafted::{DraftContext, Drafted, Records},
    edit::{Change, Edit, Known, Make, New, Target, all_known},
    error::{EditError, StoreError},
    existing::{Existing, RecordId, Reference, References, UniqueValue},
    fault::{Fault, Faults, MAX_FAULTS, Path, Refusal, Rule},
    holder::{Held, Holder},
    identified::Identified,
    ids,
    named::Named,
    patch::Patch,
    ports::{
        Clock, Ids, Measured, Metric, MetricKind, Monitored, Readiness, StoreSize, StoredEvents,
    },
    records::{Create, Delete, Get, List, Update},
    resource::Resource,
    rules::{Limits, Rules},
    timestamp::Timestamp,
    version::{Version, Versioned},
};
