//! The path of every change: lock the record, look up what the change names, run the change, store
//! the result; [`note`] then does what belongs to every change.

use std::future::Future;

use patrol_domain::{EditError, References, Refusal, Version, Versioned, task_execution::Edit};

use crate::{
    engine::{Abort, Connection},
    reference,
};

/// The statements for one kind of record.
pub(crate) trait Entity: Sized + Send + Sync {
    /// The type of its id.
    type Id: Copy + Send + Sync;
    /// What a history record needs besides the point: the time, or nothing.
    type At: Copy + Send;

    /// Locks the record until the end of the transaction; `None` when it does not exist. `names`
    /// are the references of the change.
    fn lock(
        conn: &Connection,
        id: Self::Id,
        names: &References,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<EditError>>> + Send;
    /// Appends the changes to the history, for records that have one.
    fn record<E: Send>(
        _conn: &Connection,
        _changes: &[Change<'_, Self>],
        _at: Self::At,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send {
        async { Ok(()) }
    }
}

/// A kind of record that an [`Edit`] can change.
pub(crate) trait Editable: Entity {
    /// Replaces `old` by `new` under the next version.
    fn replace(
        conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A kind of record that can be removed.
pub(crate) trait Removable: Entity {
    /// Removes the record and everything that belongs to it.
    fn remove(
        conn: &Connection,
        id: Self::Id,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A record of a kind without versions.
pub(crate) const fn unversioned<T>(record: T) -> Versioned<T> {
    Versioned { record, version: Version(0) }
}

/// The change of one record.
pub(crate) enum Change<'a, T> {
    Create(&'a T),
    Update(&'a T),
    Delete(&'a T),
}

/// Does what belongs to every stored change, in the same transaction. Every change calls this.
pub(crate) async fn note<T: Entity, E: Send>(
    conn: &Connection,
    changes: &[Change<'_, T>],
    at: T::At,
) -> Result<(), Abort<E>> {
    T::record(conn, changes, at).await
}

/// The record to change, locked.
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

/// Changes one record: lock, look up, change, store.
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

/// Removes one record, after a check of its version.
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
