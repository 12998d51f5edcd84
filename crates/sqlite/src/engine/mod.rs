//! The engine: threads, connections and transactions.

mod backup;
mod checkpoint;
mod connection;
mod error;
mod exclusive;
mod figures;
mod file;
mod identity;
mod interrupt;
mod journal;
mod log_bound;
mod migrate;
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
mod writer;

pub(crate) use error::Abort;
pub use error::OpenError;
pub(crate) use interrupt::has_to_end;
pub use store::{Access, LockPatience, Settings, Store};
pub(crate) use stream::{Sender, ended};
pub(crate) use transaction::snapshot;

#[cfg(test)]
mod tests;
