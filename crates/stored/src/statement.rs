//! Parts of statements that Diesel lacks: locks of rows, an UPDATE that stays prepared, and expressions
//! that the databases write differently.

use std::marker::PhantomData;

use diesel::{
    AppearsOnTable, AsChangeset, Expression, QueryResult, QuerySource, RunQueryDsl,
    SelectableExpression, SqliteConnection,
    backend::Backend,
    expression::{TypedExpressionType, ValidGrouping, is_aggregate},
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::SqlType,
    sqlite::Sqlite,
};

use crate::list::Text;

/// A statement that each store can run.
pub trait Statement:
    QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + RunQueryDsl<SqliteConnection> + Send
{
}

impl<S> Statement for S where
    S: QueryFragment<Pg> + QueryFragment<Sqlite> + QueryId + RunQueryDsl<SqliteConnection> + Send
{
}

/// How a query locks the rows that it finds, until the end of the transaction. SQLite has one writer
/// and needs no locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    /// Not at all.
    None,
    /// No other transaction changes or locks them. Records that refer to them need not wait.
    Change,
    /// No other transaction changes them.
    Read,
}

/// A query that locks rows.
pub struct Locked<Q> {
    query: Q,
    lock: Lock,
}

/// Locks the rows that the query finds, so that no other transaction changes them.
pub fn locked<Q>(query: Q) -> Locked<Q> {
    with_lock(query, Lock::Change)
}

/// Locks the rows that the query finds.
pub fn with_lock<Q>(query: Q, lock: Lock) -> Locked<Q> {
    Locked { query, lock }
}

impl<Q: Query> Query for Locked<Q> {
    type SqlType = Q::SqlType;
}

/// The lock is known only at run time.
impl<Q> QueryId for Locked<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Locked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.query.walk_ast(out.reborrow())?;
        out.push_sql(match self.lock {
            Lock::None => "",
            Lock::Change => " FOR NO KEY UPDATE",
            Lock::Read => " FOR SHARE",
        });
        Ok(())
    }
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Locked<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.query.walk_ast(out)
    }
}

impl<Q, Conn> RunQueryDsl<Conn> for Locked<Q> {}

/// An UPDATE that stays prepared. Diesel prepares its own updates each time, which takes longer on
/// SQLite than running them. At least one column has to be set.
pub struct Update<T, C, W> {
    table: T,
    changes: C,
    condition: W,
}

/// Sets `changes` in the rows of `table` that meet `condition`.
pub fn update<T, C, W>(table: T, condition: W, changes: C) -> Update<T::FromClause, C::Changeset, W>
where
    T: QuerySource,
    C: AsChangeset<Target = T>,
{
    Update { table: table.from_clause(), changes: changes.as_changeset(), condition }
}

impl<T, C, W, DB> QueryFragment<DB> for Update<T, C, W>
where
    DB: Backend,
    T: QueryFragment<DB>,
    C: QueryFragment<DB>,
    W: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.changes.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        self.condition.walk_ast(out)
    }
}

/// The set of changed columns is known only at run time.
impl<T, C, W> QueryId for Update<T, C, W> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T, C, W, Conn> RunQueryDsl<Conn> for Update<T, C, W> {}

/// An expression of the SQL type `T` that the databases write differently, with a value or without.
#[derive(Clone, Copy, Debug)]
pub struct Computed<T, V = ()> {
    before: Text,
    value: V,
    after: Text,
    returns: PhantomData<T>,
}

/// The expression with this text, which may name any table of its query.
#[must_use]
pub const fn computed<T>(text: Text) -> Computed<T> {
    computed_with(text, (), Text::same(""))
}

/// The expression with this text before and after a value.
pub const fn computed_with<T, V>(before: Text, value: V, after: Text) -> Computed<T, V> {
    Computed { before, value, after, returns: PhantomData }
}

impl<T: SqlType + TypedExpressionType, V> Expression for Computed<T, V> {
    type SqlType = T;
}

impl<T, V, QS: ?Sized> AppearsOnTable<QS> for Computed<T, V> where Self: Expression {}

impl<T, V, QS: ?Sized> SelectableExpression<QS> for Computed<T, V> where Self: Expression {}

impl<T, V> ValidGrouping<()> for Computed<T, V> {
    type IsAggregate = is_aggregate::No;
}

/// The text is known only at run time.
impl<T, V> QueryId for Computed<T, V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T, V: QueryFragment<Pg>> QueryFragment<Pg> for Computed<T, V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.before.postgres);
        self.value.walk_ast(out.reborrow())?;
        out.push_sql(self.after.postgres);
        Ok(())
    }
}

impl<T, V: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Computed<T, V> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(self.before.sqlite);
        self.value.walk_ast(out.reborrow())?;
        out.push_sql(self.after.sqlite);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, prelude::*, sql_types::BigInt};

    use super::*;
    use crate::schema::users;

    #[test]
    fn only_postgresql_locks_the_rows() {
        let query = || users::table.filter(users::version.gt(1)).select(users::version);
        let postgres = |lock| debug_query::<Pg, _>(&with_lock(query(), lock)).to_string();
        let (change, read) = (postgres(Lock::Change), postgres(Lock::Read));
        assert!(change.contains(" FOR NO KEY UPDATE -- binds: [1]"), "{change}");
        assert!(read.contains(" FOR SHARE -- binds: [1]"), "{read}");
        assert!(!postgres(Lock::None).contains(" FOR "));
        let sqlite = debug_query::<Sqlite, _>(&locked(query())).to_string();
        assert!(!sqlite.contains(" FOR "), "{sqlite}");
    }

    #[test]
    fn each_database_gets_its_text() {
        let length =
            computed::<BigInt>(Text { sqlite: "length(tags)", postgres: "cardinality(tags)" });
        let query = users::table.select(length);
        assert!(debug_query::<Pg, _>(&query).to_string().contains("SELECT cardinality(tags) FROM"));
        assert!(debug_query::<Sqlite, _>(&query).to_string().contains("SELECT length(tags) FROM"));
    }
}
