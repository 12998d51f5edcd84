//! The newest event, and the revision of each kind of record. A revision is a number that every change
//! increases. Usually it counts the changes, but an import adds 1 for all its records. Cached counts of
//! lists are valid while the revision stays the same.

use diesel::{ExpressionMethods, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection, dsl::max};
use patrol_domain::Resource;
use patrol_repository::stored::{
    schema::{events, revision},
    statement::update,
    tables,
};

/// Adds one change to the revision of a kind. Call this in the transaction of the change.
pub(crate) fn raise(conn: &mut SqliteConnection, kind: Resource) -> QueryResult<()> {
    raise_by(conn, kind, 1)
}

/// Adds changes to the revision of a kind. Call this in the transaction of the changes.
pub(crate) fn raise_by(
    conn: &mut SqliteConnection,
    kind: Resource,
    changes: i64,
) -> QueryResult<()> {
    let row = revision::aggregate.eq(tables::revision(kind));
    let raised = revision::changes.eq(revision::changes + changes);
    update(revision::table, row, raised).execute(conn)?;
    Ok(())
}

/// The number of changes of a kind, in the snapshot of `conn`.
pub(crate) fn changes(conn: &mut SqliteConnection, kind: Resource) -> QueryResult<i64> {
    revision::table.find(tables::revision(kind)).select(revision::changes).first(conn)
}

/// The position of the newest event, in the snapshot of `conn`; 0 for an empty log.
pub(crate) fn newest_event(conn: &mut SqliteConnection) -> QueryResult<i64> {
    let newest: Option<i64> = events::table.select(max(events::position)).first(conn)?;
    Ok(newest.unwrap_or(0))
}
