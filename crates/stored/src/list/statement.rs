//! Statements that are built at run time.

use std::marker::PhantomData;

use diesel::{
    QueryResult, RunQueryDsl,
    backend::Backend,
    query_builder::{self, AstPass, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::HasSqlType,
};
use patrol_domain::list::{Direction, Page};

use super::{SortKey, Table, TableQuery};
use crate::sql::{Id, types};

/// SQL text with its bound values `B`. Equal values mean equal queries.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sql<B>(Vec<Piece<B>>);

/// A part of a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Piece<B> {
    /// SQL text, without values of a client.
    Text(&'static str),
    /// A value, sent separately from the text.
    Bind(B),
}

impl<B> Default for Sql<B> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<B: Clone> Sql<B> {
    /// Appends SQL text.
    pub fn text(&mut self, sql: &'static str) {
        self.0.push(Piece::Text(sql));
    }

    /// Appends a bound value.
    pub fn bind(&mut self, value: B) {
        self.0.push(Piece::Bind(value));
    }

    /// Appends an expression, with `now` for each `:now`.
    pub fn expression(&mut self, sql: &'static str, now: &B) {
        for (at, part) in sql.split(":now").enumerate() {
            if at > 0 {
                self.bind(now.clone());
            }
            self.text(part);
        }
    }

    /// Counts the rows of the table that meet `filter`.
    #[must_use]
    pub fn count(table: &Table, filter: &Self) -> Self {
        let mut sql = Self::default();
        sql.text("SELECT count(*) FROM ");
        sql.text(table.from);
        sql.text(" WHERE ");
        sql.append(filter);
        sql
    }

    /// Appends the sorts of the query and the tie-breakers. `keyword` is ORDER BY; `sort` appends
    /// the expression of a sort with its direction.
    pub fn order(
        &mut self,
        keyword: &'static str,
        query: &TableQuery,
        sort: impl Fn(&mut Self, SortKey, Direction),
    ) {
        let mut before = keyword;
        for (key, direction) in &query.sort {
            self.text(before);
            sort(self, *key, *direction);
            before = ", ";
        }
        for tie in query.table.ties {
            self.text(before);
            self.text(tie);
            before = ", ";
        }
    }

    /// Appends LIMIT and OFFSET. `integer` makes a bound value of a number.
    pub fn page(&mut self, page: Page, integer: fn(i64) -> B) {
        self.text(" LIMIT ");
        self.bind(integer(i64::from(page.limit)));
        self.text(" OFFSET ");
        // An offset that does not fit into 64 bits is beyond the end of any list.
        self.bind(integer(i64::try_from(page.offset).unwrap_or(i64::MAX)));
    }

    /// Appends another condition; both have to hold. Without a condition before it, only that one.
    pub fn and(&mut self, other: &Self) {
        if !self.0.is_empty() {
            self.text(" AND ");
        }
        self.append(other);
    }

    /// Appends another statement.
    pub fn append(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// The parts in order.
    #[must_use]
    pub fn pieces(&self) -> &[Piece<B>] {
        &self.0
    }
}

/// A value that a [`Statement`] binds on the database `DB`.
pub trait Bound<DB: Backend> {
    /// Adds the value to the parameters.
    ///
    /// # Errors
    /// When it cannot be written.
    fn bind<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()>;
}

impl<DB> Bound<DB> for Id
where
    DB: Backend + HasSqlType<types::Id>,
    Self: ToSql<types::Id, DB>,
{
    fn bind<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_bind_param::<types::Id, _>(self)
    }
}

/// A statement that returns rows of the SQL type `T`. It is prepared once for each text.
#[derive(Debug)]
pub struct Statement<B, T> {
    sql: Sql<B>,
    returns: PhantomData<T>,
}

impl<B, T> From<Sql<B>> for Statement<B, T> {
    fn from(sql: Sql<B>) -> Self {
        Self { sql, returns: PhantomData }
    }
}

impl<B: Bound<DB>, T, DB: Backend> QueryFragment<DB> for Statement<B, T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        for piece in &self.sql.0 {
            match piece {
                Piece::Text(sql) => out.push_sql(sql),
                Piece::Bind(value) => value.bind(out.reborrow())?,
            }
        }
        Ok(())
    }
}

impl<B, T> QueryId for Statement<B, T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<B, T> query_builder::Query for Statement<B, T> {
    type SqlType = T;
}

impl<B, T, Conn> RunQueryDsl<Conn> for Statement<B, T> {}
