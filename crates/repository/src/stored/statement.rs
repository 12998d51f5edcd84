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

use crate::stored::list::Text;

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
    /// No other transaction changes them; several may hold this lock.
    Read,
    /// No other transaction changes them, locks them or refers to them.
    Removal,
}

impl Lock {
    /// The end of a query on PostgreSQL.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Change => " FOR NO KEY UPDATE",
            Self::Read => " FOR SHARE",
            Self::Removal => " FOR UPDATE",
        }
    }
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

/// Only SQLite finds a prepared statement by this id, and there a lock has no text. Our connections to
/// PostgreSQL find it by its whole text.
impl<Q: QueryId> QueryId for Locked<Q> {
    type QueryId = Locked<Q::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Locked<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.query.walk_ast(out.reborrow())?;
        out.push_sql(self.lock.text());
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

/// The text of an expression that the databases write differently, declared by `computed_text!`. It may
/// name any table of its query. `{}` stands for the value, if the expression has one.
pub trait ComputedText: 'static {
    /// The type of the expression.
    type SqlType: SqlType + TypedExpressionType;

    /// The text.
    const TEXT: Text;
}

/// Declares the text of an expression that the databases write differently.
macro_rules! computed_text {
    ($name:ident: $type:ty, sqlite: $sqlite:expr, postgres: $postgres:expr) => {
        #[derive(Clone, Copy, Debug)]
        #[doc(hidden)]
        #[allow(unreachable_pub, reason = "also declared within functions")]
        pub enum $name {}

        impl crate::stored::statement::ComputedText for $name {
            type SqlType = $type;
            const TEXT: crate::stored::list::Text =
                crate::stored::list::Text { sqlite: $sqlite, postgres: $postgres };
        }
    };
}

pub(crate) use computed_text;

/// An expression that the databases write differently, with a value or without.
#[derive(Clone, Copy, Debug)]
pub struct Computed<D, V = ()> {
    value: V,
    text: PhantomData<D>,
}

/// The expression with this text.
#[must_use]
pub const fn computed<D: ComputedText>() -> Computed<D> {
    computed_with(())
}

/// The expression with this text and value.
pub const fn computed_with<D: ComputedText, V>(value: V) -> Computed<D, V> {
    Computed { value, text: PhantomData }
}

impl<D: ComputedText, V> Expression for Computed<D, V> {
    type SqlType = D::SqlType;
}

impl<D: ComputedText, V, QS: ?Sized> AppearsOnTable<QS> for Computed<D, V> {}

impl<D: ComputedText, V, QS: ?Sized> SelectableExpression<QS> for Computed<D, V> {}

impl<D, V> ValidGrouping<()> for Computed<D, V> {
    type IsAggregate = is_aggregate::No;
}

impl<D: 'static, V: QueryId> QueryId for Computed<D, V> {
    type QueryId = Computed<D, V::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = V::HAS_STATIC_QUERY_ID;
}

impl<D: ComputedText, V: QueryFragment<Pg>> QueryFragment<Pg> for Computed<D, V> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.walk(D::TEXT.postgres, out)
    }
}

impl<D: ComputedText, V: QueryFragment<Sqlite>> QueryFragment<Sqlite> for Computed<D, V> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.walk(D::TEXT.sqlite, out)
    }
}

impl<D, V> Computed<D, V> {
    fn walk<'b, DB: Backend>(&'b self, text: &str, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()>
    where
        V: QueryFragment<DB>,
    {
        for (at, part) in text.split("{}").enumerate() {
            if at > 0 {
                self.value.walk_ast(out.reborrow())?;
            }
            out.push_sql(part);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use diesel::{debug_query, prelude::*, sql_types::BigInt};

    use super::*;
    use crate::stored::schema::users;

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
        computed_text!(Length: BigInt, sqlite: "length(tags)", postgres: "cardinality(tags)");
        let query = users::table.select(computed::<Length>());
        assert!(debug_query::<Pg, _>(&query).to_string().contains("SELECT cardinality(tags) FROM"));
        assert!(debug_query::<Sqlite, _>(&query).to_string().contains("SELECT length(tags) FROM"));
    }
}
