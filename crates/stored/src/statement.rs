//! Statements that are the same for both stores, but too long for `#[auto_type]`.

use diesel::{
    RunQueryDsl, SqliteConnection,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
    sqlite::Sqlite,
};

/// A statement that each store can run.
pub trait Statement:
    QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + RunQueryDsl<SqliteConnection> + Send
{
}

impl<S> Statement for S where
    S: QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + RunQueryDsl<SqliteConnection> + Send
{
}
