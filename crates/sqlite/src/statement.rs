//! Statements that Diesel does not have, or not in the required form.

use diesel::{
    AsChangeset, QueryResult, QuerySource, RunQueryDsl, define_sql_function,
    query_builder::{AstPass, QueryFragment, QueryId},
    sqlite::Sqlite,
};

/// An UPDATE that stays prepared. Diesel prepares its own updates each time, which takes longer
/// than running them. At least one column has to be set.
pub(crate) struct Update<T, C, W> {
    table: T,
    changes: C,
    condition: W,
}

/// Sets `changes` in the rows of `table` that meet `condition`.
pub(crate) fn update<T, C, W>(
    table: T,
    condition: W,
    changes: C,
) -> Update<T::FromClause, C::Changeset, W>
where
    T: QuerySource,
    C: AsChangeset<Target = T>,
{
    Update { table: table.from_clause(), changes: changes.as_changeset(), condition }
}

impl<T, C, W> QueryFragment<Sqlite> for Update<T, C, W>
where
    T: QueryFragment<Sqlite>,
    C: QueryFragment<Sqlite>,
    W: QueryFragment<Sqlite>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
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

define_sql_function! {
    /// The key of the last row that the connection inserted.
    fn last_insert_rowid() -> BigInt;
}
