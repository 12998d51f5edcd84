//! Kinds of records: the statements that each kind has, for any [`Dialect`].

use std::future::Future;

use diesel::QueryResult;
use patrol_domain::{EditError, Identified, References, Timestamp, Versioned, event::Origin};
use patrol_record::Recorded;

use crate::{
    Dialect,
    stored::{Abort, event::RecordChange, statement::Lock},
};

/// A kind of record.
pub trait Entity: Recorded + Sized + Send + Sync + 'static {
    /// Whether [`Self::record`] appends each change to a history.
    const HAS_HISTORY: bool = false;

    /// Stores what follows from the changes beside the record itself, such as its history.
    ///
    /// # Errors
    /// Those of the database.
    fn record<C: Dialect>(
        _conn: &C,
        _changes: &[RecordChange<'_, Self>],
        _by: &Origin,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Records the changes of other records that the changes of these are too, each with an event of its
    /// own.
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when another record cannot be read.
    fn record_others<C: Dialect>(
        _conn: &C,
        _changes: &[RecordChange<'_, Self>],
        _by: &Origin,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send {
        async { Ok(()) }
    }
}

/// A kind of record that is found by its id.
pub trait Findable: Entity + Identified {
    /// The record, or `None` when it does not exist. Without a lock, one statement reads it, so that it is one
    /// state.
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when the record cannot be read.
    fn find<C: Dialect, E: Send>(
        conn: &C,
        id: Self::Id,
        lock: Lock,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<E>>> + Send;

    /// The record, locked until the end of the transaction. If no index can keep the values of the
    /// kind unique (the names of users), also locks the values in `references`.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    fn lock<C: Dialect>(
        conn: &C,
        id: Self::Id,
        _references: &References,
    ) -> impl Future<Output = Result<Option<Versioned<Self>>, Abort<EditError>>> + Send {
        Self::find(conn, id, Lock::Change)
    }
}

/// A kind of record that can be created.
pub trait Creatable: Entity + Identified {
    /// Locks the values in `references` until the end of the transaction, if no index can keep the
    /// values of the kind unique (the names of users).
    ///
    /// # Errors
    /// Those of the database.
    fn lock_values<C: Dialect>(
        _conn: &C,
        _references: &References,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Stores new records. Their first version is the time of the change, `at`, in milliseconds: a
    /// deleted record may have had the same id, with lower versions.
    ///
    /// # Errors
    /// Those of the database; `Unavailable` when an image of the record is no longer announced.
    fn insert<C: Dialect, E: Send>(
        conn: &C,
        new: &[&Self],
        at: Timestamp,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send;
}

/// A kind of record that an [`Edit`] can change.
pub trait Editable: Findable {
    /// Replaces `old` by `new` under the next version.
    ///
    /// # Errors
    /// Those of the database.
    fn replace<C: Dialect>(
        conn: &C,
        old: &Versioned<Self>,
        new: &Self,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A kind of record that can be removed.
pub trait Removable: Findable {
    /// Removes the record and everything that belongs to it. Returns the key of its row if a list in memory
    /// ([`ListTable::PAGES_FROM_MEMORY`](crate::stored::list::ListTable::PAGES_FROM_MEMORY)) has to drop the row.
    ///
    /// # Errors
    /// Those of the database.
    fn remove<C: Dialect>(
        conn: &C,
        old: &Self,
    ) -> impl Future<Output = QueryResult<Option<i64>>> + Send;

    /// Removes the records that depend on `old`, each with an event of its own, and marks the image
    /// of `old` for removal.
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when another record cannot be read.
    fn remove_with<C: Dialect>(
        _conn: &C,
        _old: &Self,
        _by: &Origin,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send {
        async { Ok(()) }
    }
}
