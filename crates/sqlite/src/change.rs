//! The path of every change: read the record, look up what the change names, run the change, store
//! the result; [`note`] then does what belongs to every change.

use diesel::SqliteConnection;
use patrol_domain::{Edit, EditError, Refusal, Timestamp, Version, Versioned, event::Origin};
use patrol_record::Recorded;
pub(crate) use patrol_stored::event::Change;

use crate::{
    engine::Abort,
    event, reference,
    revision::{self, Aggregate},
};

/// A kind of record.
pub(crate) trait Entity: Sized {
    /// The aggregate whose revision every change increments.
    const AGGREGATE: Aggregate;

    /// Appends the change to the history, for records that have one.
    fn record<E>(
        _conn: &mut SqliteConnection,
        _change: &Change<'_, Self>,
        _at: Timestamp,
    ) -> Result<(), Abort<E>> {
        Ok(())
    }
}

/// A kind of record that is found by its id.
pub(crate) trait Findable: Entity {
    /// The type of its id.
    type Id: Copy;

    /// The record, or `None` when it does not exist.
    fn find<E>(conn: &mut SqliteConnection, id: Self::Id) -> Result<Option<Found<Self>>, Abort<E>>;
}

/// A kind of record that an [`Edit`] can change.
pub(crate) trait Editable: Findable {
    /// Replaces `old` by `new` under the next version.
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>>;
}

/// A kind of record that can be removed.
pub(crate) trait Removable: Findable {
    /// Removes the record and everything that belongs to it.
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>>;
}

/// A stored record with the key of its row.
pub(crate) struct Found<T> {
    /// The key of its row.
    pub(crate) row: i64,
    pub(crate) found: Versioned<T>,
}

impl<T> Found<T> {
    /// A record of a kind without versions.
    pub(crate) fn unversioned(row: i64, record: T) -> Self {
        Self { row, found: Versioned { record, version: Version(0) } }
    }
}

/// Does what belongs to every stored change, in the same transaction. Every change calls this.
pub(crate) fn note<T: Entity + Recorded, E>(
    conn: &mut SqliteConnection,
    changes: &[Change<'_, T>],
    by: &Origin,
) -> Result<(), Abort<E>> {
    for change in changes {
        T::record(conn, change, by.at)?;
        event::append(conn, change, by)?;
    }
    if !changes.is_empty() {
        revision::raise(conn, T::AGGREGATE)?;
    }
    Ok(())
}

/// The record to change, if it exists and has the expected version.
pub(crate) fn load<T: Findable>(
    conn: &mut SqliteConnection,
    id: T::Id,
    expected: Option<Version>,
) -> Result<Found<T>, Abort<EditError>> {
    let Some(found) = T::find(conn, id)? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != found.found.version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    Ok(found)
}

/// Changes one record: read, look up, change, store.
pub(crate) fn update<T: Editable + Recorded>(
    conn: &mut SqliteConnection,
    id: T::Id,
    expected: Option<Version>,
    edit: &Edit<T>,
    by: &Origin,
) -> Result<Versioned<T>, Abort<EditError>> {
    let old = load(conn, id, expected)?;
    let existing = reference::existing(conn, &edit.names)?;
    let Some(record) = (edit.change)(&old.found.record, &existing)? else {
        return Ok(old.found);
    };
    T::replace(conn, &old, &record)?;
    note(conn, &[Change::Update(&old.found.record, &record)], by)?;
    Ok(Versioned { record, version: old.found.version.next() })
}

/// Removes one record, after a check of its version.
pub(crate) fn delete<T: Removable + Recorded>(
    conn: &mut SqliteConnection,
    id: T::Id,
    expected: Option<Version>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let old: Found<T> = load(conn, id, expected)?;
    T::remove(conn, &old)?;
    note(conn, &[Change::Delete(&old.found.record)], by)
}

impl From<Refusal> for Abort<EditError> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}
