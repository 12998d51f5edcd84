//! Connections, transactions and streams (architecture 5).
//!
//! What a repository uses, always through [`Store`]:
//!
//! - [`Store::read`] for reads by key, over a few shared, pipelined connections;
//! - [`Store::transaction`] and [`Store::transaction_on`] for changes: the job may be run again;
//! - [`Store::exclusive`] for one long change, run once, without limits of time;
//! - [`Store::page`] for short lists, from one snapshot;
//! - [`Store::stream`] for long ones and exports, as fast as the reader takes them;
//! - [`Connection::copy`] for many rows at once;
//! - [`Connection::savepoint`] where a failed statement must not end the transaction;
//! - [`Counts::count`] for the total of a list.
//!
//! A job is an async closure that gets a connection: `async |conn| get(&conn, id).await`, which
//! borrows what surrounds it, or `async move |conn, to| …` for a stream, which owns it. The work is
//! done in functions that take `&Connection`, so that the same one serves reads and transactions.
//! Diesel wants `&mut Conn`, and our `Conn` is the reference: `async fn get(mut conn: &Connection,
//! id: …)` with `query.first(&mut conn).await` in it, and `diesel_async::RunQueryDsl` in scope.

mod connection;
mod connector;
mod count;
mod counters;
mod error;
mod figures;
mod generation;
mod host;
mod limit;
mod list_slots;
mod lists;
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
pub(crate) use count::Counts;
pub(crate) use error::Abort;
pub use error::OpenError;
pub use limit::Reader;
pub use settings::{Settings, SettingsError};
pub(crate) use statement::Copied;
pub use store::Store;
pub(crate) use stream::Sender;

#[cfg(test)]
mod tests;
