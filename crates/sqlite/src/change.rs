//! The port of all kinds of records, and the path of every change: read the record, look up what
//! the change refers to, run the change, store the result. [`record_changes`] then appends the
//! history and the event.

use async_trait::async_trait;
use diesel::SqliteConnection;
use patrol_domain::{
    At, Create, Delete, Edit, EditError, Get, Identified, List, New, StoreError, Timestamp, Update,
    Versioned,
    event::Origin,
    list::{Listing, Query},
};
use patrol_record::Recorded;
pub(crate) use patrol_stored::event::Change;

use crate::{
    Store,
    engine::Abort,
    event, holder, idempotency,
    list::ListTable,
    reference,
    revision::{self, Aggregate},
};

/// A kind of record.
pub(crate) trait Entity: Sized {
    /// The aggregate whose revision every change increments.
    const AGGREGATE: Aggregate;

    /// Appends the change to the history and returns true, for records that have one.
    fn record<E>(
        _conn: &mut SqliteConnection,
        _change: &Change<'_, Self>,
        _by: &Origin,
    ) -> Result<bool, Abort<E>> {
        Ok(false)
    }
}

/// A kind of record that is found by its id.
pub(crate) trait Findable: Entity + Identified {
    /// The record, or `None` when it does not exist.
    fn find<E>(conn: &mut SqliteConnection, id: Self::Id) -> Result<Option<Found<Self>>, Abort<E>>;

    /// Like [`Self::find`], but outside a transaction. A kind that needs several statements reads
    /// them in a snapshot.
    fn get<E>(conn: &mut SqliteConnection, id: Self::Id) -> Result<Option<Found<Self>>, Abort<E>> {
        Self::find(conn, id)
    }
}

/// A kind of record that can be created.
pub(crate) trait Creatable: Entity + Identified {
    /// Stores the new record; `at` is the time of the change.
    fn insert<E>(conn: &mut SqliteConnection, new: &Self, at: Timestamp) -> Result<(), Abort<E>>;
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

    /// Removes the records that cannot outlive this one, each with its event, and prepares the
    /// removal of what the record owns outside of the store.
    fn remove_with(
        _conn: &mut SqliteConnection,
        _old: &Self,
        _by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        Ok(())
    }
}

/// A stored record with the key of its row.
#[allow(unreachable_pub, reason = "a type of a public trait")]
pub struct Found<T> {
    /// The key of its row.
    pub(crate) row: i64,
    pub(crate) versioned: Versioned<T>,
}

impl<T> Found<T> {
    /// A record of a kind without versions.
    pub(crate) fn unversioned(row: i64, record: T) -> Self {
        Self { row, versioned: Versioned::unversioned(record) }
    }
}

#[async_trait]
impl<T: Findable> Get<T> for Store {
    async fn get(&self, id: T::Id) -> Result<Option<Versioned<T>>, StoreError> {
        self.read(move |conn| Ok(T::get(conn, id)?.map(|stored| stored.versioned))).await
    }
}

impl<L: ListTable> List<L> for Store {
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        self.listing(query)
    }
}

#[async_trait]
impl<T: Creatable + Recorded> Create<T> for Store {
    async fn create(&self, new: New<T>, by: Origin) -> Result<T, EditError> {
        self.write(move |conn| {
            let record = (new.make)(&reference::existing(conn, &new.references)?)?;
            T::insert(conn, &record, by.at)?;
            record_changes(conn, &[Change::Create(&record)], &by)?;
            Ok(record)
        })
        .await
    }
}

#[async_trait]
impl<T: Editable + Recorded> Update<T> for Store {
    async fn update(&self, edit: Edit<T>, by: Origin) -> Result<Versioned<T>, EditError> {
        self.write(move |conn| {
            let old = load(conn, &edit.at)?;
            let existing = reference::existing(conn, &edit.references)?;
            let Some(record) = (edit.change)(&old.versioned.record, &existing)? else {
                return Ok(old.versioned);
            };
            T::replace(conn, &old, &record)?;
            record_changes(conn, &[Change::Update(&old.versioned.record, &record)], &by)?;
            Ok(old.versioned.changed_to(record))
        })
        .await
    }
}

#[async_trait]
impl<T: Removable + Recorded> Delete<T> for Store {
    async fn delete(&self, at: At<T>, by: Origin) -> Result<(), EditError> {
        let record = (T::RESOURCE, at.id.into());
        let delete = self.write(move |conn| {
            let old: Found<T> = load(conn, &at)?;
            holder::require_none(conn, record)?;
            T::remove_with(conn, &old.versioned.record, &by)?;
            T::remove(conn, &old)?;
            record_changes(conn, &[Change::Delete(&old.versioned.record, Some(old.row))], &by)
        });
        holder::with_counts(self, record, delete.await).await
    }
}

/// Appends the history record and the event of each change, and counts the changes in the revision.
/// A change without either, such as a PUT of the stored content, is not counted, because the caches
/// of lists stay valid. Also stores the effect of a request with an `Idempotency-Key`. Every change
/// of a record calls this once, in its transaction.
pub(crate) fn record_changes<T: Entity + Recorded, E: From<EditError>>(
    conn: &mut SqliteConnection,
    changes: &[Change<'_, T>],
    by: &Origin,
) -> Result<(), Abort<E>> {
    let mut counted = 0;
    for change in changes {
        let has_history = T::record(conn, change, by)?;
        let has_event = event::append(conn, change, by)?;
        counted += i64::from(has_history || has_event);
    }
    if counted > 0 {
        revision::raise_by(conn, T::AGGREGATE, counted)?;
    }
    idempotency::store_effect(conn, by, changes.iter().map(|change| change.record().id()))
}

/// The record to change, if it exists and has the expected version.
pub(crate) fn load<T: Findable>(
    conn: &mut SqliteConnection,
    at: &At<T>,
) -> Result<Found<T>, Abort<EditError>> {
    let found = T::find(conn, at.id)?.ok_or(EditError::Missing)?;
    found.versioned.version.check(at.expected)?;
    Ok(found)
}
