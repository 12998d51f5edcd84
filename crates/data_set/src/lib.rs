//! The data set: a whole store as NDJSON, in and out (operations, "Data set").
//!
//! The modules that are named like features hold both directions of a kind of record, so that its
//! members stand in one place.

mod ahead;
mod check_list;
mod demo;
mod line;
mod lines;
mod location;
mod messages;
mod point;
mod scheduled_task;
mod task_execution;
mod user;
mod write;

pub use ahead::ahead;
pub use demo::{DEMO_ADMIN, DEMO_PHOTO, DEMO_PHOTO_USERS, DEMO_TOKEN, demo};
pub use lines::{Lines, MAX_LINE, PhotoLookup};
pub use messages::{describe, refusal, store_refusal};
pub use write::write_record;
