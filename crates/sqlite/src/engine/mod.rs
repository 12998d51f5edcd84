//! Threads, connections and transactions (architecture 4).

mod checkpoint;
mod connection;
mod error;
mod exclusive;
mod file;
mod identity;
mod interrupt;
mod journal;
mod migrate;
mod queue;
mod readers;
mod store;
mod stream;
mod transaction;
mod writer;

pub use error::OpenError;
pub(crate) use error::{Abort, is_interrupted, store_error};
pub use store::{Access, LockPatience, Settings, Store};
pub(crate) use stream::Sender;
pub(crate) use transaction::snapshot;

#[cfg(test)]
mod tests;
