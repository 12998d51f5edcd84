//! The engine: connections, transactions and streams.
//!
//! Repositories use these functions through [`Store`]:
//!
//! - [`Store::read`] for reads by key, over a few shared, pipelined connections;
//! - [`Store::transaction`] for changes: the job may run again;
//! - [`Store::transaction_with_others`] for small changes of which many come at once;
//! - [`Store::exclusive`] for one long change, run once, without time limits;
//! - [`Store::page`] for short lists, from one snapshot;
//! - [`Store::stream`] for long lists and exports, at the pace of the reader;
//! - [`Connection::copy`] for many rows at once;
//! - [`Connection::savepoint`] when a failed statement must not end the transaction;
//! - [`Counts::count`] for the total of a list.
//!
//! A job is an async closure that gets a connection: `async |conn| get(&conn, id).await`, which
//! borrows its environment, or `async move |conn, to| …` for a stream, which owns it. The work is
//! done in functions that take `&Connection`, so that reads and transactions can share them. Diesel
//! needs `&mut Conn`, and our `Conn` is the reference: `async fn get(mut conn: &Connection, id: …)`
//! with `query.first(&mut conn).await`, and `diesel_async::RunQueryDsl` in scope.

mod connection;
mod connector;
mod copy;
mod count;
mod counters;
mod error;
mod generation;
mod groups;
mod host;
mod job;
mod job_connection;
mod limit;
mod list_slots;
mod lists;
mod metrics;
mod migrate;
mod pool;
mod reads;
mod record_locks;
mod row;
mod search;
mod settings;
mod slot;
mod statement;
mod store;
mod stream;
mod tls;
mod transaction;
mod waiting;

pub(crate) use connection::Connection;
pub(crate) use count::{Counts, STATE, snapshot_of};
pub(crate) use error::Abort;
pub use error::OpenError;
pub(crate) use job_connection::JobConnection;
pub use limit::Reader;
#[cfg(test)]
pub(crate) use limit::long_connections;
pub use settings::{Settings, SettingsError};
pub(crate) use statement::Copied;
pub use store::Store;
pub(crate) use stream::Sender;

#[cfg(test)]
mod tests;
