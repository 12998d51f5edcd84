//! Looks up which of the named records exist, and which records have the named values.

use diesel::SqliteConnection;
use patrol_domain::{Reference, Resource, UniqueValue, ids::Uuid};
use patrol_stored::reference::{OwnerTypes, RecordTypes, owner, owners, record, select};

use crate::{
    engine::Abort,
    list::{Bind, Select as _},
};

/// The record with this id, if it exists.
pub(crate) fn find<E>(
    conn: &mut SqliteConnection,
    kind: Resource,
    id: Uuid,
) -> Result<Option<Reference>, Abort<E>> {
    let Some(mut sql) = select(kind) else { return Ok(None) };
    sql.text(" = ");
    sql.bind(Bind::id(id));
    let found = RecordTypes::rows(sql, conn)?.next().transpose()?;
    Ok(found.map(|found| record(kind, found)).transpose()?)
}

/// Whether the record exists and belongs to the required parent.
pub(crate) fn exists<E>(
    conn: &mut SqliteConnection,
    reference: impl Into<Reference>,
) -> Result<bool, Abort<E>> {
    let reference = reference.into();
    let found = find(conn, reference.kind, reference.id)?;
    Ok(found.is_some_and(|found| reference.accepts_parent(found.parent)))
}

/// The records that have this value.
pub(crate) fn owners_of<E>(
    conn: &mut SqliteConnection,
    kind: UniqueValue,
    value: &str,
) -> Result<Vec<Uuid>, Abort<E>> {
    let sql = owners([(kind, Bind::Text(value.to_owned()))], |sql, value| {
        sql.text(" = ");
        sql.bind(value);
    });
    let mut found = Vec::new();
    for row in OwnerTypes::rows(sql, conn)? {
        let (_, _, id) = owner(row?)?;
        found.push(id);
    }
    Ok(found)
}
