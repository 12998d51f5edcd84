//! How a record changes: it is read, what the change names is looked up, the change is made and
//! stored, and [`note`] does what goes with every change.

use diesel::SqliteConnection;
use patrol_domain::{EditError, Refusal, Version, Versioned, task_execution::Edit};

use crate::{
    engine::Abort,
    reference,
    revision::{self, Aggregate},
};

/// The statements of one kind of record.
pub(crate) trait Entity: Sized {
    /// Its id.
    type Id: Copy;
    /// What the history needs besides the records: the time, or nothing.
    type At: Copy;
    /// What every change raises in `revision`.
    const AGGREGATE: Aggregate;

    /// The record, or none.
    fn find<E>(conn: &mut SqliteConnection, id: Self::Id) -> Result<Option<Found<Self>>, Abort<E>>;
    /// Appends the change to the history of the records, if they have one.
    fn record<E>(
        _conn: &mut SqliteConnection,
        _change: &Change<'_, Self>,
        _at: Self::At,
    ) -> Result<(), Abort<E>> {
        Ok(())
    }
}

/// A kind of record that is changed by an [`Edit`].
pub(crate) trait Editable: Entity {
    /// Stores `new` in place of `old`, in the next version.
    fn replace<E>(
        conn: &mut SqliteConnection,
        old: &Found<Self>,
        new: &Self,
    ) -> Result<(), Abort<E>>;
}

/// A kind of record that can be removed.
pub(crate) trait Removable: Entity {
    /// Removes the record with all that belongs to it.
    fn remove<E>(conn: &mut SqliteConnection, old: &Found<Self>) -> Result<(), Abort<E>>;
}

/// A stored record.
pub(crate) struct Found<T> {
    /// The key of its row.
    pub(crate) row: i64,
    pub(crate) found: Versioned<T>,
}

impl<T> Found<T> {
    /// A record of a kind that has no versions.
    pub(crate) fn unversioned(row: i64, record: T) -> Self {
        Self { row, found: Versioned { record, version: Version(0) } }
    }
}

/// What happened to one record.
pub(crate) enum Change<'a, T> {
    Create(&'a T),
    Update(&'a T),
    Delete(&'a T),
}

/// Notes changes that have been stored, in their transaction. Every change ends here.
pub(crate) fn note<T: Entity, E>(
    conn: &mut SqliteConnection,
    changes: &[Change<'_, T>],
    at: T::At,
) -> Result<(), Abort<E>> {
    for change in changes {
        T::record(conn, change, at)?;
    }
    if !changes.is_empty() {
        revision::raise(conn, T::AGGREGATE)?;
    }
    Ok(())
}

/// The record that is to be changed.
pub(crate) fn load<T: Entity>(
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

/// Changes one record.
pub(crate) fn update<T: Editable>(
    conn: &mut SqliteConnection,
    id: T::Id,
    expected: Option<Version>,
    edit: &Edit<T>,
    at: T::At,
) -> Result<Versioned<T>, Abort<EditError>> {
    let old = load(conn, id, expected)?;
    let existing = reference::existing(conn, &edit.names)?;
    let Some(record) = (edit.change)(&old.found.record, &existing)? else {
        return Ok(old.found);
    };
    T::replace(conn, &old, &record)?;
    note(conn, &[Change::Update(&record)], at)?;
    Ok(Versioned { record, version: old.found.version.next() })
}

/// Removes one record.
pub(crate) fn delete<T: Removable>(
    conn: &mut SqliteConnection,
    id: T::Id,
    expected: Option<Version>,
    at: T::At,
) -> Result<(), Abort<EditError>> {
    let old: Found<T> = load(conn, id, expected)?;
    T::remove(conn, &old)?;
    note(conn, &[Change::Delete(&old.found.record)], at)
}

impl From<Refusal> for Abort<EditError> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}
