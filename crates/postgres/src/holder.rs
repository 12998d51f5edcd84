//! Records that keep another record from being deleted.

use std::sync::Arc;

use diesel::{QueryResult, sql_types::BigInt};
use futures_util::TryStreamExt as _;
use patrol_domain::{EditError, Held, Holder, Resource, ids::Uuid};
use patrol_stored::{
    holder::Lookup,
    reference::{RecordTypes, select},
    sql::StoredId,
};

use crate::{
    Store,
    engine::{Abort, Connection},
    list::{Bind, Select},
};

/// Locks a record that others may refer to, before anything else of it is locked: waits for the
/// transactions that refer to it now, and lets no other do so until the end of this one.
/// [`crate::reference::existing`] and the foreign keys take the lock that this one excludes.
pub(crate) async fn lock(conn: &Connection, (kind, id): (Resource, Uuid)) -> QueryResult<()> {
    if Holder::of(kind).is_empty() {
        return Ok(());
    }
    let Some(mut sql) = select(kind) else { return Ok(()) };
    sql.text(" = ");
    sql.bind(Bind::Uuid(id));
    sql.text(" FOR UPDATE");
    let rows = <RecordTypes as Select<(StoredId, Option<StoredId>)>>::rows(sql, conn).await?;
    rows.try_for_each(|_| async { Ok(()) }).await
}

/// Refuses the deletion of a record to which others refer. The record has to be locked. Looks for one
/// record of each kind: [`with_counts`] counts them after the transaction.
pub(crate) async fn require_none(
    conn: &Connection,
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

/// The result of a deletion. If it was refused because others refer to the record, they are counted now;
/// a kind of which none is left counts as 1, because there was one.
pub(crate) async fn with_counts(
    store: &Store,
    record: (Resource, Uuid),
    deleted: Result<(), EditError>,
) -> Result<(), EditError> {
    let Err(EditError::InUse(held)) = deleted else { return deleted };
    let count = move |conn: Arc<Connection>| {
        let mut counted = held.clone();
        async move {
            for Held { by, count } in &mut counted {
                let found = lookup(&conn, record, *by, Lookup::Count).await?;
                *count = found.unwrap_or(0).max(1);
            }
            Ok(counted)
        }
    };
    Err(EditError::InUse(store.page_of(count).await?))
}

/// The number that the lookup selects.
async fn lookup(
    conn: &Connection,
    (kind, id): (Resource, Uuid),
    by: Holder,
    lookup: Lookup,
) -> QueryResult<Option<u64>> {
    let sql = lookup.sql((kind, Bind::Uuid(id)), by, |text| text.postgres);
    let mut rows = <BigInt as Select<i64>>::rows(sql, conn).await?;
    let found = rows.try_next().await?;
    // The number of rows is never negative.
    Ok(found.map(|count| u64::try_from(count).unwrap_or(0)))
}
