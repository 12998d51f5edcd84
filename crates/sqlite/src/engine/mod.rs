//! The engine: threads, connections and transactions.

mod backup;
mod checkpoint;
mod connection;
mod error;
mod exclusive;
mod file_identity;
mod group;
mod identity;
mod interrupt;
mod job;
mod job_connection;
mod journal;
mod log_bound;
mod metrics;
mod migrate;
mod private_file;
mod production;
mod queue;
mod queue_timeout;
mod readers;
mod snapshots;
mod store;
mod stream;
mod transaction;
mod upkeep;
mod watch;
mod write;
mod write_counters;
mod writer;

pub(crate) use error::Abort;
pub use error::OpenError;
pub(crate) use interrupt::is_cancelled;
pub(crate) use job_connection::{JobConnection, poll_once, poll_once_diesel};
pub(crate) use store::Background;
#[cfg(test)]
pub(crate) use store::LONG_LISTS;
pub use store::{Access, ProgramKind, Settings, Store};
pub(crate) use stream::{Sender, cancelled};
pub(crate) use watch::count_as_work;

#[cfg(test)]
mod tests;
