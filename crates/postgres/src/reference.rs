//! Looks up which of the named records exist, and which records have the named values.

use diesel_async::RunQueryDsl;
use futures_util::TryStreamExt as _;
use patrol_domain::{Existing, Reference, References, Resource, UniqueValue, ids::Uuid};
use patrol_stored::{
    reference::{OwnerTypes, RecordTypes, owner, owners, record, select},
    user,
};

use crate::{
    engine::{Abort, Connection},
    list::{Bind, Select as _},
};

/// The lookup of `references`. Locations and graphic plans cannot be deleted, and a user or a point that
/// is found stays until the end of the transaction. Another node may take a value before that: then
/// the unique index refuses this transaction, and the change runs again.
pub(crate) async fn existing<E>(
    mut conn: &Connection,
    references: &References,
) -> Result<Existing, Abort<E>> {
    let mut existing = Existing::default();
    for (kind, ids) in &references.records {
        // Only these can be deleted.
        let can_be_deleted = matches!(kind, Resource::Point | Resource::User);
        let lock = if can_be_deleted { " ORDER BY id FOR KEY SHARE" } else { "" };
        existing.extend(found(conn, *kind, ids.iter().copied().collect(), lock).await?);
    }
    if !references.values.is_empty() {
        let values = references.values.iter().map(|(kind, values)| (*kind, Bind::texts(values)));
        for (kind, value, id) in owners_of(conn, values).await? {
            existing.add_owner(kind, value, id);
        }
    }
    if references.active_admins {
        existing.active_admins = user::ids(user::active_admins().load(&mut conn).await?)?;
    }
    Ok(existing)
}

/// Those of the records that exist.
pub(crate) async fn find<E>(
    conn: &Connection,
    kind: Resource,
    ids: Vec<Uuid>,
) -> Result<Vec<Reference>, Abort<E>> {
    found(conn, kind, ids, "").await
}

/// Those of the records that exist. `lock` is the locking clause.
async fn found<E>(
    conn: &Connection,
    kind: Resource,
    ids: Vec<Uuid>,
    lock: &'static str,
) -> Result<Vec<Reference>, Abort<E>> {
    let Some(mut sql) = select(kind) else { return Ok(Vec::new()) };
    sql.text(" = ANY(");
    sql.bind(Bind::Uuids(ids));
    sql.text(")");
    sql.text(lock);
    let mut rows = RecordTypes::rows(sql, conn).await?;
    let mut found = Vec::new();
    while let Some(row) = rows.try_next().await? {
        found.push(record(kind, row)?);
    }
    Ok(found)
}

/// The records that have one of the values. One statement, so that a user who gets two names at
/// this moment is seen with both or with neither.
pub(crate) async fn owners_of<E>(
    conn: &Connection,
    values: impl Iterator<Item = (UniqueValue, Bind)>,
) -> Result<Vec<(UniqueValue, String, Uuid)>, Abort<E>> {
    let sql = owners(values, |sql, values| {
        sql.text(" = ANY(");
        sql.bind(values);
        sql.text(")");
    });
    let mut rows = OwnerTypes::rows(sql, conn).await?;
    let mut found = Vec::new();
    while let Some(row) = rows.try_next().await? {
        found.push(owner(row)?);
    }
    Ok(found)
}
