//! The ports of all kinds of records, and the path of every change: look up and lock what the change
//! refers to, lock the record, run the change, store the result. [`record_changes`] then appends the history and
//! the event.

use async_trait::async_trait;
use futures_util::FutureExt as _;
use patrol_domain::{
    Create, Delete, Edit, EditError, Get, List, New, References, StoreError, Target, Update,
    Versioned,
    event::Origin,
    list::{Listed, Listing, Query},
};

use crate::{
    Creatable, Dialect, Editable, Engine, Entity, Findable, Removable, Repository, event, holder,
    idempotency, reference,
    stored::{Abort, event::RecordChange, statement::Lock},
};

#[async_trait]
impl<S: Engine, T: Findable> Get<T> for Repository<S> {
    async fn get(&self, id: T::Id) -> Result<Option<Versioned<T>>, StoreError> {
        self.0.read(id, |conn, id| T::find(conn, *id, Lock::None).boxed()).await
    }
}

impl<S: Engine + List<L>, L: Listed> List<L> for Repository<S> {
    fn list(&self, query: Query<L>) -> Listing<L::Item> {
        self.0.list(query)
    }
}

#[async_trait]
impl<S: Engine, T: Creatable> Create<T> for Repository<S> {
    async fn create(&self, new: New<T>, by: Origin) -> Result<T, EditError> {
        self.0.write(None, (new, by), |conn, (new, by)| create(conn, new, by).boxed()).await
    }

    async fn create_all(&self, new: New<Vec<T>>, by: Origin) -> Result<Vec<T>, EditError> {
        self.0.write(None, (new, by), |conn, (new, by)| create_all(conn, new, by).boxed()).await
    }
}

#[async_trait]
impl<S: Engine, T: Editable + Clone> Update<T> for Repository<S> {
    async fn update(&self, edit: Edit<T>, by: Origin) -> Result<Versioned<T>, EditError> {
        let record = edit.at.id.into();
        self.0
            .write(Some(record), (edit, by), |conn, (edit, by)| update(conn, edit, by).boxed())
            .await
    }
}

#[async_trait]
impl<S: Engine, T: Removable> Delete<T> for Repository<S> {
    async fn delete(&self, at: Target<T>, by: Origin) -> Result<(), EditError> {
        let record = (T::RESOURCE, at.id.into());
        let deleted = self
            .0
            .write(Some(record.1), (at, by), |conn, (at, by)| delete(conn, at, by).boxed())
            .await;
        holder::with_counts(&self.0, record, deleted).await
    }
}

async fn create<T: Creatable>(
    conn: &impl Dialect,
    new: &New<T>,
    by: &Origin,
) -> Result<T, Abort<EditError>> {
    T::lock_values(conn, &new.references).await?;
    let record = (new.make)(&reference::existing(conn, &new.references).await?)?;
    T::insert(conn, &[&record], by.at).await?;
    record_changes(conn, &[RecordChange::Create(&record)], by).await?;
    Ok(record)
}

/// The records of one statement: PostgreSQL takes at most 65,535 parameters.
const PORTION: usize = 500;

async fn create_all<T: Creatable>(
    conn: &impl Dialect,
    new: &New<Vec<T>>,
    by: &Origin,
) -> Result<Vec<T>, Abort<EditError>> {
    T::lock_values(conn, &new.references).await?;
    let records = (new.make)(&reference::existing(conn, &new.references).await?)?;
    let mut by = *by;
    for portion in records.chunks(PORTION) {
        T::insert(conn, &portion.iter().collect::<Vec<_>>(), by.at).await?;
        let changes: Vec<_> = portion.iter().map(RecordChange::Create).collect();
        record_changes(conn, &changes, &by).await?;
        // The effect of a request is stored once: the first records show that it was executed.
        by = by.without_key();
    }
    Ok(records)
}

async fn update<T: Editable>(
    conn: &impl Dialect,
    edit: &Edit<T>,
    by: &Origin,
) -> Result<Versioned<T>, Abort<EditError>> {
    let mut existing = reference::keep(conn, &edit.references).await?;
    let old = lock_at(conn, &edit.at, &edit.references).await?;
    reference::complete(conn, &edit.references, &mut existing).await?;
    let Some(record) = (edit.change)(&old.record, &existing)? else { return Ok(old) };
    let changes = [RecordChange::Update(&old.record, &record)];
    let stored = T::replace(conn, &old, &record);
    conn.both(stored, record_changes(conn, &changes, by)).await?;
    Ok(old.changed_to(record))
}

async fn delete<T: Removable>(
    conn: &impl Dialect,
    at: &Target<T>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let record = (T::RESOURCE, at.id.into());
    holder::lock(conn, record).await?;
    let old = lock_at(conn, at, &References::default()).await?;
    holder::require_unused(conn, record).await?;
    T::remove_with(conn, &old.record, by).await?;
    let row = T::remove(conn, &old.record).await?;
    record_changes(conn, &[RecordChange::Delete(&old.record, row)], by).await
}

/// The record to change, locked.
///
/// # Errors
/// `Missing` when it does not exist, `Stale` when it has another version than the expected one; those
/// of [`Findable::find`].
pub(crate) async fn lock_at<T: Findable>(
    conn: &impl Dialect,
    at: &Target<T>,
    references: &References,
) -> Result<Versioned<T>, Abort<EditError>> {
    let found = T::lock(conn, at.id, references).await?.ok_or(EditError::Missing)?;
    found.version.check(at.expected)?;
    Ok(found)
}

/// Appends the history record and the event of each change, and stores the effect of a request with an
/// `Idempotency-Key`. Every change of a record calls this once, in its transaction.
///
/// # Errors
/// Those of the database; `Superseded` when another request has taken the key.
pub(crate) async fn record_changes<T: Entity>(
    conn: &impl Dialect,
    changes: &[RecordChange<'_, T>],
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    T::record(conn, changes, by).await?;
    let records: Vec<_> = changes.iter().map(|change| change.record().id()).collect();
    let effect = idempotency::store_effect(conn, by, &records);
    conn.both(event::append(conn, changes, by), effect).await?;
    T::record_others(conn, changes, by).await
}
