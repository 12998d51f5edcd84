//! Statements that are built at run time.

use std::marker::PhantomData;

use diesel::{
    QueryResult, RunQueryDsl,
    backend::Backend,
    query_builder::{self, AstPass, QueryFragment, QueryId},
};
use patrol_domain::list::{Direction, Page};

use super::{Bind, SortKey, Table, TableQuery};
use crate::stored::sql::time;

/// SQL text with its bound values. Equal values mean equal queries.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sql(Vec<Piece>);

/// A part of a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Piece {
    /// SQL text, without values of a client.
    Text(&'static str),
    /// A value, sent separately from the text.
    Bind(Bind),
}

impl Sql {
    /// Appends SQL text.
    pub fn text(&mut self, sql: &'static str) {
        self.0.push(Piece::Text(sql));
    }

    /// The statement with these texts.
    #[must_use]
    pub fn of(texts: &[&'static str]) -> Self {
        let mut sql = Self::default();
        sql.texts(texts);
        sql
    }

    /// Appends SQL texts.
    pub fn texts(&mut self, texts: &[&'static str]) {
        texts.iter().for_each(|text| self.text(text));
    }

    /// Appends a bound value.
    pub fn bind(&mut self, value: Bind) {
        self.0.push(Piece::Bind(value));
    }

    /// Appends a text with these values in the places of its question marks.
    pub fn fill(&mut self, sql: &'static str, values: impl IntoIterator<Item = Bind>) {
        let mut values = values.into_iter();
        for (at, part) in sql.split('?').enumerate() {
            if at > 0 {
                let value = values.next();
                debug_assert!(value.is_some(), "a question mark has no value: {sql}");
                self.0.extend(value.map(Piece::Bind));
            }
            self.text(part);
        }
        debug_assert!(values.next().is_none(), "a value has no question mark: {sql}");
    }

    /// A text with these values in the places of its question marks.
    #[must_use]
    pub fn filled(text: &'static str, values: impl IntoIterator<Item = Bind>) -> Self {
        let mut sql = Self::default();
        sql.fill(text, values);
        sql
    }

    /// Appends an expression of a sort key, with the values of the query for `:now` and `:late_after`.
    pub fn expression(&mut self, sql: &'static str, query: &TableQuery) {
        let now = Bind::Time(time(query.now));
        let late_after = Bind::Integer(query.late_after);
        self.with_values(sql, &[(":now", now), (":late_after", late_after)]);
    }

    fn with_values(&mut self, sql: &'static str, values: &[(&'static str, Bind)]) {
        let Some(((name, value), others)) = values.split_first() else { return self.text(sql) };
        for (at, part) in sql.split(name).enumerate() {
            if at > 0 {
                self.bind(value.clone());
            }
            self.with_values(part, others);
        }
    }

    /// Counts the rows of the table that meet `filter`.
    #[must_use]
    pub fn count(table: &Table, filter: &Self) -> Self {
        let mut sql = Self::of(&["SELECT count(*) FROM ", table.from, " WHERE "]);
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
            self.texts(&[before, tie]);
            before = ", ";
        }
    }

    /// Appends LIMIT and OFFSET.
    pub fn page(&mut self, page: Page) {
        let limit = Bind::Integer(page.limit.into());
        // An offset that does not fit into 64 bits is beyond the end of any list.
        let offset = Bind::Integer(i64::try_from(page.offset).unwrap_or(i64::MAX));
        self.fill(" LIMIT ? OFFSET ?", [limit, offset]);
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

    /// The approximate memory of the statement, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let values = self.0.iter().map(|piece| match piece {
            Piece::Text(_) => 0,
            Piece::Bind(value) => value.heap_bytes(),
        });
        size_of_val(self.0.as_slice()) + values.sum::<usize>()
    }
}

/// A statement that returns rows of the SQL type `T`. It is prepared once for each text.
#[derive(Debug)]
pub struct BuiltStatement<T> {
    sql: Sql,
    returns: PhantomData<T>,
}

impl<T> From<Sql> for BuiltStatement<T> {
    fn from(sql: Sql) -> Self {
        Self { sql, returns: PhantomData }
    }
}

impl<T, DB: Backend> QueryFragment<DB> for BuiltStatement<T>
where
    Bind: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        for piece in &self.sql.0 {
            match piece {
                Piece::Text(sql) => out.push_sql(sql),
                Piece::Bind(value) => value.walk_ast(out.reborrow())?,
            }
        }
        Ok(())
    }
}

impl<T> QueryId for BuiltStatement<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> query_builder::Query for BuiltStatement<T> {
    type SqlType = T;
}

impl<T, Conn> RunQueryDsl<Conn> for BuiltStatement<T> {}
