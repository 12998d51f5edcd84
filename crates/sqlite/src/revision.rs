//! How often each aggregate was changed: lists keep their counts for as long as it stays the same.

use diesel::{ExpressionMethods, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection};
pub(crate) use patrol_stored::aggregate::Aggregate;
use patrol_stored::schema::revision;

use crate::statement;

/// Notes, in the transaction of a change, that `aggregate` is changed.
pub(crate) fn raise(conn: &mut SqliteConnection, aggregate: Aggregate) -> QueryResult<()> {
    let row = revision::aggregate.eq(aggregate.key());
    let raised = revision::changes.eq(revision::changes + 1);
    statement::update(revision::table, row, raised).execute(conn)?;
    Ok(())
}

/// How often `aggregate` has been changed, in the snapshot that `conn` reads.
pub(crate) fn changes(conn: &mut SqliteConnection, aggregate: Aggregate) -> QueryResult<i64> {
    revision::table.find(aggregate.key()).select(revision::changes).first(conn)
}
