//! Types that all features use: ids, times, text, faults, versions.

pub mod check;
pub mod counter;
pub mod drafted;
pub mod edit;
pub mod error;
pub mod existing;
pub mod fault;
pub mod holder;
pub mod identified;
pub mod ids;
pub mod named;
pub mod patch;
pub mod ports;
pub mod records;
pub mod resource;
pub mod rules;
pub mod text;
pub mod version;

pub use patrol_recurrence::timestamp;
