//! The path of every change: lock the record, look up what the change names, run the change, store
//! the result; [`note`] then does what belongs to every change.

use std::future::Future;

use futures_util::future::join;
use patrol_domain::{
    Edit, EditError, References, Refusal, Timestamp, Version, Versioned, event::Origin,
};
use patrol_record::Recorded;
pub(crate) use patrol_stored::event::Change;

use crate::{
    engine::{Abort, Connection},
    event, reference,
};

/// A kind of record.
pub(crate) trait Entity: Sized + Send + Sync {
    /// Appends the changes to the history, for records that have one.
    fn record<E: Send>(
        _conn: &Connection,
        _changes: &[Change<'_, Self>],
        _at: Timestamp,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send {
        async { Ok(()) }
    }
}

/// A kind of record that is found by its id.
pub(crate) trait Findable: Entity {
    /// The type of its id.
    type Id: Copy + Send + Sync;

    /// Locks the record until the end of the transaction; `None` when it does not exist. `names`
    /// are the references of the change.
    fn lock(
        conn: &Connection,
        id: Self::Id,
        names: &References,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<EditError>>> + Send;
}

/// A kind of record that an [`Edit`] can change.
pub(crate) trait Editable: Findable {
    /// Replaces `old` by `new` under the next version.
    fn replace(
        conn: &Connection,
        old: &Versioned<Self>,
        new: &Self,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A kind of record that can be removed.
pub(crate) trait Removable: Findable {
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

/// Does what belongs to every stored change, in the same transaction. Every change calls this.
pub(crate) async fn note<T: Entity + Recorded, E: Send>(
    conn: &Connection,
    changes: &[Change<'_, T>],
    by: &Origin,
) -> Result<(), Abort<E>> {
    T::record(conn, changes, by.at).await?;
    event::append(conn, changes, by).await
}

/// The record to change, locked.
pub(crate) async fn load<T: Findable>(
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
pub(crate) async fn update<T: Editable + Recorded>(
    conn: &Connection,
    id: T::Id,
    expected: Option<Version>,
    edit: &Edit<T>,
    by: &Origin,
) -> Result<Versioned<T>, Abort<EditError>> {
    let old = load(conn, id, expected, &edit.names).await?;
    let existing = reference::existing(conn, &edit.names).await?;
    let Some(record) = (edit.change)(&old.record, &existing)? else { return Ok(old) };
    // Both are sent before either is answered, which saves a round trip. After an error of the
    // first, the second fails too; the first is the cause.
    let changes = [Change::Update(&old.record, &record)];
    let (stored, noted) = join(T::replace(conn, &old, &record), note(conn, &changes, by)).await;
    stored.and(noted)?;
    Ok(Versioned { record, version: old.version.next() })
}

/// Removes one record, after a check of its version.
pub(crate) async fn delete<T: Removable + Recorded>(
    conn: &Connection,
    id: T::Id,
    expected: Option<Version>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let old: Versioned<T> = load(conn, id, expected, &References::default()).await?;
    let changes = [Change::Delete(&old.record)];
    let (removed, noted) = join(T::remove(conn, id), note(conn, &changes, by)).await;
    removed.and(noted)
}

impl From<Refusal> for Abort<EditError> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}
