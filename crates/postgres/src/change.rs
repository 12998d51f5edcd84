//! The port of all kinds of records, and the path of every change: lock the record, look up what the
//! change refers to, run the change, store the result. [`record_changes`] then appends the history and
//! the event.

use std::future::Future;

use async_trait::async_trait;
use diesel::QueryResult;
use futures_util::future::join;
use patrol_domain::{
    At, Create, Delete, Edit, EditError, Get, Identified, List, New, References, StoreError,
    Timestamp, Update, Versioned,
    event::Origin,
    list::{Listing, Query},
};
use patrol_record::Recorded;
pub(crate) use patrol_stored::event::Change;

use crate::{
    Store,
    engine::{Abort, Connection},
    event, holder, idempotency,
    list::ListTable,
    reference,
};

/// A kind of record.
pub(crate) trait Entity: Sized + Send + Sync {
    /// Appends the changes to the history, for records that have one.
    fn record<E: Send>(
        _conn: &Connection,
        _changes: &[Change<'_, Self>],
        _by: &Origin,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send {
        async { Ok(()) }
    }
}

/// A kind of record that is found by its id.
pub(crate) trait Findable: Entity + Identified {
    /// The record, or `None` when it does not exist.
    fn find<E: Send>(
        conn: &Connection,
        id: Self::Id,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<E>>> + Send;

    /// Locks the record until the end of the transaction; `None` when it does not exist. `references`
    /// are the references of the change.
    fn lock(
        conn: &Connection,
        id: Self::Id,
        references: &References,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<EditError>>> + Send;
}

/// A kind of record that can be created.
pub(crate) trait Creatable: Entity + Identified {
    /// Locks what the change will look up, until the end of the transaction, for a kind whose unique
    /// values no index ensures.
    fn lock(
        _conn: &Connection,
        _references: &References,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Stores new records; `at` is the time of the change.
    fn insert<E: Send>(
        conn: &Connection,
        new: &[&Self],
        at: Timestamp,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send;
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
    /// Removes the record and everything that belongs to it. Returns the key of its row, if the table
    /// has one.
    fn remove(
        conn: &Connection,
        id: Self::Id,
    ) -> impl Future<Output = Result<Option<i64>, Abort<EditError>>> + Send;

    /// Removes other records that go with the record, each with its event, and prepares the removal of
    /// what it owns outside of the store.
    fn remove_with(
        _conn: &Connection,
        _old: &Self,
        _by: &Origin,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send {
        async { Ok(()) }
    }
}

#[async_trait]
impl<T: Findable> Get<T> for Store {
    async fn get(&self, id: T::Id) -> Result<Option<Versioned<T>>, StoreError> {
        self.read(async |conn| T::find(&conn, id).await).await
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
        self.transaction(async |conn| {
            T::lock(&conn, &new.references).await?;
            let record = (new.make)(&reference::existing(&conn, &new.references).await?)?;
            T::insert(&conn, &[&record], by.at).await?;
            record_changes(&conn, &[Change::Create(&record)], &by).await?;
            Ok(record)
        })
        .await
    }
}

#[async_trait]
impl<T: Editable + Recorded> Update<T> for Store {
    async fn update(&self, edit: Edit<T>, by: Origin) -> Result<Versioned<T>, EditError> {
        self.transaction_on(edit.at.id.into(), async |conn| {
            let old = load(&conn, &edit.at, &edit.references).await?;
            let existing = reference::existing(&conn, &edit.references).await?;
            let Some(record) = (edit.change)(&old.record, &existing)? else { return Ok(old) };
            // Both are sent before either is answered, which saves a round trip. After an error of
            // the first, the second fails too; the first is the cause.
            let changes = [Change::Update(&old.record, &record)];
            let stored = T::replace(&conn, &old, &record);
            let (stored, noted) = join(stored, record_changes(&conn, &changes, &by)).await;
            stored.and(noted)?;
            Ok(old.changed_to(record))
        })
        .await
    }
}

#[async_trait]
impl<T: Removable + Recorded> Delete<T> for Store {
    async fn delete(&self, at: At<T>, by: Origin) -> Result<(), EditError> {
        let record = (T::RESOURCE, at.id.into());
        let delete = self.transaction_on(record.1, async |conn| {
            holder::lock(&conn, record).await?;
            let old: Versioned<T> = load(&conn, &at, &References::default()).await?;
            holder::require_none(&conn, record).await?;
            T::remove_with(&conn, &old.record, &by).await?;
            let row = T::remove(&conn, at.id).await?;
            record_changes(&conn, &[Change::Delete(&old.record, row)], &by).await
        });
        holder::with_counts(self, record, delete.await).await
    }
}

/// Appends the history record and the event of each change, and stores the effect of a request with an
/// `Idempotency-Key`. Every change of a record calls this once, in its transaction.
pub(crate) async fn record_changes<T: Entity + Recorded, E: From<EditError> + Send>(
    conn: &Connection,
    changes: &[Change<'_, T>],
    by: &Origin,
) -> Result<(), Abort<E>> {
    T::record(conn, changes, by).await?;
    let records = changes.iter().map(|change| change.record().id());
    let effect = idempotency::store_effect(conn, by, records);
    let (appended, stored) = join(event::append(conn, changes, by), effect).await;
    appended.and(stored)
}

/// The record to change, locked.
pub(crate) async fn load<T: Findable>(
    conn: &Connection,
    at: &At<T>,
    references: &References,
) -> Result<Versioned<T>, Abort<EditError>> {
    let found = T::lock(conn, at.id, references).await?.ok_or(EditError::Missing)?;
    found.version.check(at.expected)?;
    Ok(found)
}
