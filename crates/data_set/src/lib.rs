//! The data set: all records of a store as NDJSON, for import and export. See `docs/data-set.md`.
//!
//! Each module with the name of a feature both reads and writes the records of that feature.

mod check_list;
mod demo;
mod graphic_plan;
mod line;
mod lines;
mod location;
mod messages;
mod point;
mod read_ahead;
mod report;
mod scheduled_task;
mod task_execution;
mod user;

pub use demo::{
    DEMO_ADMIN, DEMO_GUARD, DEMO_MEDIUM, DEMO_PHOTO, DEMO_PHOTO_USERS, DEMO_PLAN_LOCATION,
    DEMO_PLAN_NAME, DEMO_PLANS, DEMO_TASK, demo,
};
pub use line::write_record;
pub use lines::{Lines, MAX_LINE, PhotoLookup};
pub use messages::{refused_line, rule as broken_rule};
pub use read_ahead::read_ahead;
