//! Looks up which of the named records exist, and which records have the named values.

use futures_util::TryStreamExt as _;
use patrol_domain::{Reference, Resource, UniqueValue, ids::Uuid};
use patrol_stored::reference::{OwnerTypes, RecordTypes, owner, owners, record, select};

use crate::{
    engine::{Abort, Connection},
    list::{Bind, Select as _},
};

/// Those of the records that exist. With `keep`, they are not deleted until the end of the transaction.
pub(crate) async fn records<E>(
    conn: &Connection,
    kind: Resource,
    ids: Vec<Uuid>,
    keep: bool,
) -> Result<Vec<Reference>, Abort<E>> {
    let Some(mut sql) = select(kind) else { return Ok(Vec::new()) };
    sql.text(" = ANY(");
    sql.bind(Bind::ids(&ids));
    sql.text(if keep { ") ORDER BY id FOR KEY SHARE" } else { ")" });
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
