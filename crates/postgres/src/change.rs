//! How a record changes: it is locked, what the change names is looked up, the change is made and
//! stored, and [`note`] does what goes with every change.

use std::future::Future;

use patrol_domain::{EditError, References, Refusal, Version, Versioned, task_execution::Edit};

use crate::{
    engine::{Abort, Connection},
    reference,
};

/// The statements of one kind of record.
pub(crate) trait Entity: Sized + Send + Sync {
    /// Its id.
    type Id: Copy + Send + Sync;
    /// What the history needs besides the records: the time, or nothing.
    type At: Copy + Send;

    /// The record, or none, which no other transaction changes until this one ends. `names` are
    /// what the change names.
    fn lock(
        conn: &Connection,
        id: Self::Id,
        names: &References,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<EditError>>> + Send;
    /// Appends the changes to the history of the records, if they have one.
    fn record<E: Send>(
        _conn: &Connection,
        _changes: &[Change<'_, Self>],
        _at: Self::At,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send {
        async { Ok(()) }
    }
}

/// A kind of record that is changed by an [`Edit`].
pub(crate) trait Editable: Entity {
    /// Stores `new` in place of `old`, in the next version.
    fn replace(
        conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A kind of record that can be removed.
pub(crate) trait Removable: Entity {
    /// Removes the record with all that belongs to it.
    fn remove(
        conn: &Connection,
        id: Self::Id,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A record of a kind that has no versions.
pub(crate) const fn unversioned<T>(record: T) -> Versioned<T> {
    Versioned { record, version: Version(0) }
}

/// What happened to one record.
pub(crate) enum Change<'a, T> {
    Create(&'a T),
    Update(&'a T),
    Delete(&'a T),
}

/// Notes changes that have been stored, in their transaction. Every change ends here.
pub(crate) async fn note<T: Entity, E: Send>(
    conn: &Connection,
    changes: &[Change<'_, T>],
    at: T::At,
) -> Result<(), Abort<E>> {
    T::record(conn, changes, at).await
}

/// The record that is to be changed.
pub(crate) async fn load<T: Entity>(
    conn: &Connection,
    id: T::Id,
    expected: Option<Version>,
    names: &References,
) -> Result<Versioned<T>, Abort<EditError>> {
    let Some(found) = T::lock(conn, id, names).await? else {
        return Err(Abort::Refused(EditError::Missing));
    };
    if expected.is_some_and(|expected| expected != found.version) {
        return Err(Abort::Refused(EditError::Stale));
    }
    Ok(found)
}

/// Changes one record.
pub(crate) async fn update<T: Editable>(
    conn: &Connection,
    id: T::Id,
    expected: Option<Version>,
    edit: &Edit<T>,
    at: T::At,
) -> Result<Versioned<T>, Abort<EditError>> {
    let old = load(conn, id, expected, &edit.names).await?;
    let existing = reference::existing(conn, &edit.names).await?;
    let Some(record) = (edit.change)(&old.record, &existing)? else { return Ok(old) };
    T::replace(conn, &old, &record).await?;
    note(conn, &[Change::Update(&record)], at).await?;
    Ok(Versioned { record, version: old.version.next() })
}

/// Removes one record.
pub(crate) async fn delete<T: Removable>(
    conn: &Connection,
    id: T::Id,
    expected: Option<Version>,
    at: T::At,
) -> Result<(), Abort<EditError>> {
    let old: Versioned<T> = load(conn, id, expected, &References::default()).await?;
    T::remove(conn, id).await?;
    note(conn, &[Change::Delete(&old.record)], at).await
}

impl From<Refusal> for Abort<EditError> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}
