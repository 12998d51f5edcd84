//! What each database does in its own way.

use std::{borrow::Borrow, future::Future};

use diesel::QueryResult;
use patrol_domain::{
    At, EditError, Existing, Identified, References, Timestamp, Versioned,
    event::Origin,
    ids::{SeriesId, UserId},
    scheduled_task::ScheduledTask,
    sign_in::{Account, Attempt},
    task_execution::TaskExecution,
    user::User,
};
use patrol_stored::{
    Abort,
    event::Change,
    sql::{StoredId, Time},
};

use crate::connection::Connection;

/// Finds and locks records of one kind.
pub trait Records<T: Identified>: Connection {
    /// The record as it was found, with what its database needs to change it.
    type Found: Borrow<Versioned<T>> + Send + Sync;

    /// The record, or `None` when it does not exist. A record may take several statements: a job of
    /// [`Engine::read`](crate::Engine::read) calls this within [`Connection::together`].
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when the record cannot be read.
    fn find<E: Send>(
        &self,
        id: T::Id,
    ) -> impl Future<Output = Result<Option<Versioned<T>>, Abort<E>>> + Send;

    /// The record, locked until the end of the transaction, if it exists. `references` are those of
    /// the change.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    fn lock(
        &self,
        id: T::Id,
        references: &References,
    ) -> impl Future<Output = Result<Option<Self::Found>, Abort<EditError>>> + Send;

    /// The locked record.
    ///
    /// # Errors
    /// `Missing` when it does not exist, `Stale` when it has another version than the expected one;
    /// those of [`Self::find`].
    fn lock_at(
        &self,
        at: &At<T>,
        references: &References,
    ) -> impl Future<Output = Result<Self::Found, Abort<EditError>>> + Send {
        let (id, expected) = (at.id, at.expected);
        async move {
            let found = self.lock(id, references).await?.ok_or(EditError::Missing)?;
            found.borrow().version.check(expected)?;
            Ok(found)
        }
    }
}

/// Changes records of one kind.
pub trait Replaces<T: Identified>: Records<T> {
    /// Replaces `old` by `new` under the next version.
    ///
    /// # Errors
    /// Those of the database.
    fn replace(
        &self,
        old: &Self::Found,
        new: &T,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// Removes records of one kind.
pub trait Removes<T: Identified>: Records<T> {
    /// Removes the record and everything that belongs to it. Returns the key of its row, if its table
    /// has one.
    ///
    /// # Errors
    /// Those of the database.
    fn remove(
        &self,
        old: &Self::Found,
    ) -> impl Future<Output = Result<Option<i64>, Abort<EditError>>> + Send;
}

/// Records the changes of one kind of record.
pub trait Recorder<T>: Connection {
    /// Appends the history record and the event of each change, and stores the effect of a request
    /// with an `Idempotency-Key`. Called once for each set of changed records, in the transaction.
    ///
    /// # Errors
    /// Those of the database; `Superseded` when another request has taken the key.
    fn record_changes(
        &self,
        changes: &[Change<'_, T>],
        by: &Origin,
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;
}

/// A connection, with everything that its database does in its own way.
pub trait Dialect:
    Records<User>
    + Recorder<User>
    + Recorder<Account>
    + Replaces<ScheduledTask>
    + Recorder<ScheduledTask>
    + Replaces<TaskExecution>
    + Removes<TaskExecution>
    + Recorder<TaskExecution>
{
    /// What exists of the records and values that a change names.
    ///
    /// # Errors
    /// Those of the database.
    fn existing(
        &self,
        references: &References,
    ) -> impl Future<Output = Result<Existing, Abort<EditError>>> + Send;

    /// Stores new executions, whose ids were never used, under the first version.
    ///
    /// # Errors
    /// Those of the database.
    fn insert_executions(
        &self,
        new: &[&TaskExecution],
    ) -> impl Future<Output = Result<(), Abort<EditError>>> + Send;

    /// The PENDING executions of a series that start at `from` or later, by id, locked.
    ///
    /// # Errors
    /// Those of the database; `Corrupt` when an execution cannot be read.
    fn lock_pending(
        &self,
        series: SeriesId,
        from: Timestamp,
    ) -> impl Future<Output = Result<Vec<<Self as Records<TaskExecution>>::Found>, Abort<EditError>>>
    + Send;

    /// The hash of a user's password, if the user has one.
    ///
    /// # Errors
    /// Those of the database.
    fn password_hash(
        &self,
        user: UserId,
    ) -> impl Future<Output = QueryResult<Option<String>>> + Send;

    /// Replaces or removes the password of a user.
    ///
    /// # Errors
    /// Those of the database.
    fn set_password_hash(
        &self,
        user: UserId,
        hash: Option<&str>,
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// Stores when a user, who has a password, last signed in.
    ///
    /// # Errors
    /// Those of the database.
    fn set_last_sign_in(
        &self,
        user: UserId,
        at: Timestamp,
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// The last sign-in of each of these users who has a password; `None` if there was none yet.
    ///
    /// # Errors
    /// Those of the database.
    fn last_sign_ins(
        &self,
        users: &[UserId],
    ) -> impl Future<Output = QueryResult<Vec<(StoredId, Option<Time>)>>> + Send;

    /// Locks the failures of the name and of the address of an attempt, so that the next failure sees
    /// this one.
    ///
    /// # Errors
    /// Those of the database.
    fn lock_failures(&self, attempt: &Attempt) -> impl Future<Output = QueryResult<()>> + Send;
}
