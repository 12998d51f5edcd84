//! Records that keep another record from being deleted.

use diesel::{QueryResult, SqliteConnection, sql_types::BigInt};
use patrol_domain::{EditError, Held, Holder, Resource, ids::Uuid};
use patrol_stored::holder::Lookup;

use crate::{
    Store,
    engine::Abort,
    list::{Bind, Select as _},
};

/// Refuses the deletion of a record to which others refer. Runs in the transaction of the deletion;
/// because there is only one writer, no new reference can appear before the commit. Looks for one
/// record of each kind: [`with_counts`] counts them outside of the writer.
pub(crate) fn require_none(
    conn: &mut SqliteConnection,
    record: (Resource, Uuid),
) -> Result<(), Abort<EditError>> {
    let mut held = Vec::new();
    for by in Holder::of(record.0) {
        if let Some(count) = lookup(conn, record, *by, Lookup::First)? {
            held.push(Held { by: *by, count });
        }
    }
    if held.is_empty() { Ok(()) } else { Err(EditError::InUse(held).into()) }
}

/// The result of a deletion. If it was refused because others refer to the record, they are counted
/// now; a kind that has no such record any more counts as 1, because there was one at the refusal.
pub(crate) async fn with_counts(
    store: &Store,
    record: (Resource, Uuid),
    deleted: Result<(), EditError>,
) -> Result<(), EditError> {
    let Err(EditError::InUse(held)) = deleted else { return deleted };
    let count = move |conn: &mut SqliteConnection| {
        let mut counted = held.clone();
        for Held { by, count } in &mut counted {
            *count = lookup(conn, record, *by, Lookup::Count)?.unwrap_or(0).max(1);
        }
        Ok(counted)
    };
    Err(EditError::InUse(store.page(count).await?))
}

/// The number that the lookup selects.
fn lookup(
    conn: &mut SqliteConnection,
    (kind, id): (Resource, Uuid),
    by: Holder,
    lookup: Lookup,
) -> QueryResult<Option<u64>> {
    let record = (kind, Bind::Bytes(id.into_bytes()));
    let sql = lookup.sql(record, by, |text| text.sqlite);
    let found: Option<i64> = BigInt::rows(sql, conn)?.next().transpose()?;
    // The number of rows is never negative.
    Ok(found.map(|count| u64::try_from(count).unwrap_or(0)))
}
