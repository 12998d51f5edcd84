//! The data set: the whole store as NDJSON, for import and export. `docs/data-set.md` describes it.
//!
//! A module named like a feature reads and writes its kind of record, so that the members are
//! declared in one place.

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
