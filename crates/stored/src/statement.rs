//! Statements that are the same for both stores, but too long for `#[auto_type]`; and locks
//! of rows.

use diesel::{
    QueryResult, RunQueryDsl, SqliteConnection,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
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

/// A query whose rows are locked until the end of the transaction, so that no other transaction
/// changes them. Records that refer to them need not wait. SQLite has one writer and needs no lock.
#[derive(QueryId)]
pub struct Locked<Q>(Q);

/// Locks the rows that the query finds.
pub fn locked<Q>(query: Q) -> Locked<Q> {
    Locked(query)
}

impl<Q: Query> Query for Locked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Locked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" FOR NO KEY UPDATE");
        Ok(())
    }
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Locked<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

impl<Q, Conn> RunQueryDsl<Conn> for Locked<Q> {}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, prelude::*};

    use super::*;
    use crate::schema::users;

    #[test]
    fn only_postgresql_locks_the_rows() {
        let query = || locked(users::table.filter(users::version.gt(1)).select(users::version));
        let postgres = debug_query::<Pg, _>(&query()).to_string();
        assert!(postgres.contains(" FOR NO KEY UPDATE -- binds: [1]"), "{postgres}");
        let sqlite = debug_query::<Sqlite, _>(&query()).to_string();
        assert!(!sqlite.contains("UPDATE"), "{sqlite}");
    }
}
