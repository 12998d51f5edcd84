//! How the shared ports of `patrol-repository` run on SQLite.

use std::{
    borrow::Borrow,
    sync::{Mutex, PoisonError},
};

use diesel::{connection::SimpleConnection as _, dsl, prelude::*};
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, Existing, References, StoreError, Timestamp, Version, Versioned,
    event::Origin,
    ids::{SeriesId, UserId, Uuid},
    sign_in::Attempt,
    task_execution::TaskExecution,
};
use patrol_record::Recorded;
use patrol_repository::{
    Answer, Arguments, Connection, Dialect, Engine, Job, Query, Recorder, Records, Removes,
    Replaces,
};
use patrol_stored::{
    event::Change,
    schema::{passwords, users},
    sql::{Id, StoredId, Time, id, time},
    statement::Statement,
};

use crate::{
    Store,
    change::{self, Editable, Entity, Findable, Found, Removable},
    engine::Abort,
    reference, statement,
    task_execution::{self, New, insert_parts, insert_row, next_row},
};

/// The connection of a job. Only one statement runs at a time; the lock is
/// never contended.
#[allow(unreachable_pub, reason = "a type of a public trait")]
pub struct JobConnection<'c>(Mutex<&'c mut SqliteConnection>);

impl<'c> JobConnection<'c> {
    pub(crate) const fn of(conn: &'c mut SqliteConnection) -> Self {
        Self(Mutex::new(conn))
    }

    fn with<T>(&self, run: impl FnOnce(&mut SqliteConnection) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The result of shared work. It is there at the first poll, because each statement is.
pub(crate) fn finish<T, E>(work: impl Future<Output = Result<T, Abort<E>>>) -> Result<T, Abort<E>> {
    work.now_or_never().unwrap_or_else(|| {
        let cause = "a job waited for something other than the database".to_owned();
        Err(StoreError::Internal(cause).into())
    })
}

impl Engine for Store {
    type Connection<'c> = JobConnection<'c>;

    async fn read<A: Arguments, T: Answer>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::read(self, move |conn| finish(job(&JobConnection::of(conn), &arguments))).await
    }

    async fn page<A: Arguments, T: Answer>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::page(self, move |conn| finish(job(&JobConnection::of(conn), &arguments))).await
    }

    /// One writer runs all changes, so those of one record need no order of their own.
    async fn write<A: Arguments, T: Answer, E: Answer + From<StoreError>>(
        &self,
        _: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> Result<T, E> {
        Self::write(self, move |conn| finish(job(&JobConnection::of(conn), &arguments))).await
    }
}

impl Connection for JobConnection<'_> {
    async fn load<'q, R, Q>(&self, query: Q) -> QueryResult<Vec<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        self.with(|conn| query.load(conn))
    }

    async fn first<'q, R, Q>(&self, query: Q) -> QueryResult<Option<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        self.with(|conn| query.get_result(conn)).optional()
    }

    async fn execute<S: Statement>(&self, statement: S) -> QueryResult<usize> {
        self.with(|conn| statement.execute(conn))
    }

    async fn execute_all<S: Statement>(&self, statements: Vec<S>) -> QueryResult<Vec<usize>> {
        self.with(|conn| statements.into_iter().map(|each| each.execute(conn)).collect())
    }

    async fn together<T: Send, E: Send>(
        &self,
        read: impl Future<Output = Result<T, Abort<E>>> + Send,
    ) -> Result<T, Abort<E>> {
        self.with(|conn| conn.batch_execute("BEGIN"))?;
        // A read that waits ends here, so that the transaction is always ended.
        let result = finish(read);
        // Some failures have already ended the transaction.
        let end = self.with(|conn| conn.batch_execute("ROLLBACK"));
        let result = result?;
        end?;
        Ok(result)
    }
}

impl<T> Borrow<Versioned<T>> for Found<T> {
    fn borrow(&self) -> &Versioned<T> {
        &self.versioned
    }
}

impl<T: Findable> Records<T> for JobConnection<'_> {
    type Found = Found<T>;

    async fn find<E: Send>(&self, id: T::Id) -> Result<Option<Versioned<T>>, Abort<E>> {
        Ok(self.with(|conn| T::find(conn, id))?.map(|found| found.versioned))
    }

    /// There is one writer, so no other can change the record.
    async fn lock(&self, id: T::Id, _: &References) -> Result<Option<Found<T>>, Abort<EditError>> {
        self.with(|conn| T::find(conn, id))
    }
}

impl<T: Editable> Replaces<T> for JobConnection<'_> {
    async fn replace(&self, old: &Found<T>, new: &T) -> Result<(), Abort<EditError>> {
        self.with(|conn| T::replace(conn, old, new))
    }
}

impl<T: Removable> Removes<T> for JobConnection<'_> {
    async fn remove(&self, old: &Found<T>) -> Result<Option<i64>, Abort<EditError>> {
        self.with(|conn| T::remove(conn, old))?;
        Ok(Some(old.row))
    }
}

impl<T: Entity + Recorded + Sync> Recorder<T> for JobConnection<'_> {
    async fn record_changes(
        &self,
        changes: &[Change<'_, T>],
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        self.with(|conn| change::record_changes(conn, changes, by))
    }
}

impl Dialect for JobConnection<'_> {
    async fn existing(&self, references: &References) -> Result<Existing, Abort<EditError>> {
        self.with(|conn| reference::existing(conn, references))
    }

    async fn insert_executions(&self, new: &[&TaskExecution]) -> Result<(), Abort<EditError>> {
        self.with(|conn| {
            for execution in new {
                let (row, parts) = (next_row(conn)?, New::of(execution)?);
                insert_row(conn, row, &parts, Version::FIRST)?;
                insert_parts(conn, row, &parts, execution, None)?;
            }
            Ok(())
        })
    }

    async fn lock_pending(
        &self,
        series: SeriesId,
        from: Timestamp,
    ) -> Result<Vec<Found<TaskExecution>>, Abort<EditError>> {
        self.with(|conn| task_execution::pending(conn, series, from))
    }

    async fn password_hash(&self, user: UserId) -> QueryResult<Option<String>> {
        let found = users::table
            .inner_join(passwords::table.on(passwords::user_row.eq(users::row)))
            .filter(users::id.eq(id(user)))
            .select(passwords::hash);
        self.with(|conn| found.first(conn)).optional()
    }

    async fn set_password_hash(&self, user: UserId, hash: Option<&str>) -> QueryResult<()> {
        self.with(|conn| {
            let row: i64 = row_of(user).first(conn)?;
            let Some(hash) = hash else {
                let same = passwords::table.filter(passwords::user_row.eq(row));
                return diesel::delete(same).execute(conn).map(drop);
            };
            diesel::insert_into(passwords::table)
                .values((passwords::user_row.eq(row), passwords::hash.eq(hash)))
                .on_conflict(passwords::user_row)
                .do_update()
                .set(passwords::hash.eq(hash))
                .execute(conn)
                .map(drop)
        })
    }

    async fn set_last_sign_in(&self, user: UserId, at: Timestamp) -> QueryResult<()> {
        self.with(|conn| {
            let row: i64 = row_of(user).first(conn)?;
            let signed_in = passwords::last_sign_in_at.eq(time(at));
            statement::update(passwords::table, passwords::user_row.eq(row), signed_in)
                .execute(conn)
                .map(drop)
        })
    }

    async fn last_sign_ins(&self, of: &[UserId]) -> QueryResult<Vec<(StoredId, Option<Time>)>> {
        self.with(|conn| {
            let mut found = Vec::with_capacity(of.len());
            for user in of {
                let query = users::table
                    .inner_join(passwords::table.on(passwords::user_row.eq(users::row)))
                    .filter(users::id.eq(id(*user)))
                    .select((users::id, passwords::last_sign_in_at));
                let one: Option<(StoredId, Option<Time>)> = query.first(conn).optional()?;
                found.extend(one);
            }
            Ok(found)
        })
    }

    /// There is one writer, so the next failure sees this one.
    async fn lock_failures(&self, _: &Attempt) -> QueryResult<()> {
        Ok(())
    }
}

/// The key of the row of a user.
#[dsl::auto_type(no_type_alias)]
fn row_of(user: UserId) -> _ {
    let user: Id = id(user);
    users::table.filter(users::id.eq(user)).select(users::row)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[test]
    fn work_that_waits_is_an_error() {
        let done: Result<_, Abort<StoreError>> = finish(ready(Ok(1)));
        assert!(matches!(done, Ok(1)));
        let waiting: Result<(), Abort<StoreError>> = finish(pending());
        assert!(matches!(waiting, Err(Abort::Store(StoreError::Internal(_)))));
    }
}
