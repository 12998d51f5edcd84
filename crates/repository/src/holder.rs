//! Records that keep another record from being deleted.

use diesel::{QueryResult, sql_types::BigInt};
use futures_util::FutureExt as _;
use patrol_domain::{EditError, Held, Holder, Resource, StoreError, ids::Uuid};

use crate::{
    Dialect, Engine,
    stored::{Abort, holder::Lookup, list::BuiltStatement, statement::Lock},
};

/// Locks a record that others may refer to, before any other lock of the change. Transactions that
/// store a reference to the record take a weaker lock on it, in
/// [`existing`](crate::reference::existing) or for their foreign key. So this waits for the running
/// ones, and later ones wait for this transaction.
pub(crate) async fn lock(conn: &impl Dialect, (kind, id): (Resource, Uuid)) -> QueryResult<()> {
    if !Holder::of(kind).is_empty() {
        conn.lock_row(kind, id, Lock::Removal).await?;
    }
    Ok(())
}

/// Refuses the deletion of a record to which others refer. The record has to be locked. Looks for one
/// record of each kind: [`with_counts`] counts them after the transaction.
pub(crate) async fn require_unused(
    conn: &impl Dialect,
    record: (Resource, Uuid),
) -> Result<(), Abort<EditError>> {
    let mut held = Vec::new();
    for by in Holder::of(record.0) {
        if let Some(count) = lookup(conn, record, *by, Lookup::First).await? {
            held.push(Held { by: *by, count });
        }
    }
    if held.is_empty() { Ok(()) } else { Err(EditError::InUse(held).into()) }
}

/// The result of a deletion. If it was refused because others refer to the record, they are counted
/// now; a count of 0 becomes 1, because there was a record when the deletion was refused.
pub(crate) async fn with_counts(
    store: &impl Engine,
    record: (Resource, Uuid),
    deleted: Result<(), EditError>,
) -> Result<(), EditError> {
    let Err(EditError::InUse(held)) = deleted else { return deleted };
    let counted =
        store.page((record, held), |conn, (record, held)| counted(conn, *record, held).boxed());
    Err(EditError::InUse(counted.await?))
}

async fn counted(
    conn: &impl Dialect,
    record: (Resource, Uuid),
    held: &[Held],
) -> Result<Vec<Held>, Abort<StoreError>> {
    let mut counted = held.to_vec();
    for Held { by, count } in &mut counted {
        *count = lookup(conn, record, *by, Lookup::Count).await?.unwrap_or(0).max(1);
    }
    Ok(counted)
}

/// The number that the lookup selects.
async fn lookup<C: Dialect>(
    conn: &C,
    (kind, record): (Resource, Uuid),
    by: Holder,
    lookup: Lookup,
) -> QueryResult<Option<u64>> {
    let sql = lookup.sql((kind, record), by, C::text);
    let found: Option<i64> = conn.first(BuiltStatement::<BigInt>::from(sql)).await?;
    // The number of rows is never negative.
    Ok(found.map(|count| u64::try_from(count).unwrap_or(0)))
}
