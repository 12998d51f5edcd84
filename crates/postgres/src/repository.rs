//! How the shared ports of `patrol-repository` run on PostgreSQL.

use std::sync::Arc;

use diesel::{prelude::*, upsert::excluded};
use diesel_async::{AsyncConnectionCore, RunQueryDsl};
use futures_util::{TryStreamExt as _, future::try_join_all};
use patrol_domain::{
    EditError, Existing, References, StoreError, Timestamp, Version, Versioned,
    event::Origin,
    ids::{SeriesId, UserId, Uuid},
    sign_in::Attempt,
    task_execution::TaskExecution,
};
use patrol_record::Recorded;
use patrol_repository::{
    Answer, Arguments, Dialect, Engine, Job, Query, Recorder, Records, Removes, Replaces,
};
use patrol_stored::{
    event::Change,
    schema::{passwords, sign_in_failures},
    sql::{StoredId, Time, id, ids, time},
    statement::Statement,
};

use crate::{
    Store,
    change::{self, Editable, Entity, Findable, Removable},
    engine::{Abort, Connection},
    reference,
    task_execution::{insert, lock_pending},
};

/// The connection of a job.
#[allow(unreachable_pub, reason = "a type of a public trait")]
pub struct JobConnection<'c>(pub(crate) &'c Connection);

impl Engine for Store {
    type Connection<'c> = JobConnection<'c>;

    async fn read<A: Arguments, T: Answer>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        Self::read(self, async |conn| job(&JobConnection(&conn), &arguments).await).await
    }

    async fn page<A: Arguments, T: Answer>(
        &self,
        arguments: A,
        job: Job<Self, A, T, StoreError>,
    ) -> Result<T, StoreError> {
        let arguments = Arc::new(arguments);
        self.page_of(move |conn| {
            let arguments = Arc::clone(&arguments);
            async move { job(&JobConnection(&conn), &arguments).await }
        })
        .await
    }

    async fn write<A: Arguments, T: Answer, E: Answer + From<StoreError>>(
        &self,
        record: Option<Uuid>,
        arguments: A,
        job: Job<Self, A, T, E>,
    ) -> Result<T, E> {
        let change = async |conn: Arc<Connection>| job(&JobConnection(&conn), &arguments).await;
        match record {
            Some(record) => self.transaction_on(record, change).await,
            None => self.transaction(change).await,
        }
    }
}

impl patrol_repository::Connection for JobConnection<'_> {
    async fn load<'q, R, Q>(&self, query: Q) -> QueryResult<Vec<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        let rows = self.0.rows(query.into_sent())?.await?;
        rows.and_then(async |row| Q::read(&row)).try_collect().await
    }

    async fn first<'q, R, Q>(&self, query: Q) -> QueryResult<Option<R>>
    where
        R: Send + 'static,
        Q: Query<'q, R>,
    {
        let mut rows = self.0.rows(query.into_sent())?.await?;
        rows.try_next().await?.map(|row| Q::read(&row)).transpose()
    }

    async fn execute<S: Statement>(&self, statement: S) -> QueryResult<usize> {
        let mut conn = self.0;
        AsyncConnectionCore::execute_returning_count(&mut conn, statement).await
    }

    async fn execute_all<S: Statement>(&self, statements: Vec<S>) -> QueryResult<Vec<usize>> {
        let execute = |statement| patrol_repository::Connection::execute(self, statement);
        let mut statements = statements.into_iter();
        // Prepares the statement that the others use.
        let Some(first) = statements.next() else { return Ok(Vec::new()) };
        let mut changed = vec![execute(first).await?];
        changed.extend(try_join_all(statements.map(execute)).await?);
        Ok(changed)
    }

    async fn together<T: Send, E: Send>(
        &self,
        read: impl Future<Output = Result<T, Abort<E>>> + Send,
    ) -> Result<T, Abort<E>> {
        read.await
    }
}

impl<T: Findable> Records<T> for JobConnection<'_> {
    type Found = Versioned<T>;

    async fn find<E: Send>(&self, id: T::Id) -> Result<Option<Versioned<T>>, Abort<E>> {
        T::find(self.0, id).await
    }

    async fn lock(
        &self,
        id: T::Id,
        references: &References,
    ) -> Result<Option<Versioned<T>>, Abort<EditError>> {
        T::lock(self.0, id, references).await
    }
}

impl<T: Editable> Replaces<T> for JobConnection<'_> {
    async fn replace(&self, old: &Versioned<T>, new: &T) -> Result<(), Abort<EditError>> {
        T::replace(self.0, old, new).await
    }
}

impl Removes<TaskExecution> for JobConnection<'_> {
    async fn remove(
        &self,
        old: &Versioned<TaskExecution>,
    ) -> Result<Option<i64>, Abort<EditError>> {
        TaskExecution::remove(self.0, old.record.id).await
    }
}

impl<T: Entity + Recorded> Recorder<T> for JobConnection<'_> {
    async fn record_changes(
        &self,
        changes: &[Change<'_, T>],
        by: &Origin,
    ) -> Result<(), Abort<EditError>> {
        change::record_changes(self.0, changes, by).await
    }
}

impl Dialect for JobConnection<'_> {
    async fn existing(&self, references: &References) -> Result<Existing, Abort<EditError>> {
        reference::existing(self.0, references).await
    }

    async fn insert_executions(&self, new: &[&TaskExecution]) -> Result<(), Abort<EditError>> {
        insert(self.0, new, Version::FIRST).await
    }

    async fn lock_pending(
        &self,
        series: SeriesId,
        from: Timestamp,
    ) -> Result<Vec<Versioned<TaskExecution>>, Abort<EditError>> {
        lock_pending(self.0, series, from).await
    }

    async fn password_hash(&self, user: UserId) -> QueryResult<Option<String>> {
        let mut conn = self.0;
        let hash = passwords::table.filter(passwords::user_id.eq(id(user))).select(passwords::hash);
        hash.first(&mut conn).await.optional()
    }

    async fn set_password_hash(&self, user: UserId, hash: Option<&str>) -> QueryResult<()> {
        let (mut conn, user) = (self.0, id(user));
        let Some(hash) = hash else {
            let removed = diesel::delete(passwords::table.filter(passwords::user_id.eq(user)));
            return removed.execute(&mut conn).await.map(drop);
        };
        diesel::insert_into(passwords::table)
            .values((passwords::user_id.eq(user), passwords::hash.eq(hash)))
            .on_conflict(passwords::user_id)
            .do_update()
            .set(passwords::hash.eq(hash))
            .execute(&mut conn)
            .await
            .map(drop)
    }

    async fn set_last_sign_in(&self, user: UserId, at: Timestamp) -> QueryResult<()> {
        let mut conn = self.0;
        diesel::update(passwords::table.filter(passwords::user_id.eq(id(user))))
            .set(passwords::last_sign_in_at.eq(time(at)))
            .execute(&mut conn)
            .await
            .map(drop)
    }

    async fn last_sign_ins(&self, of: &[UserId]) -> QueryResult<Vec<(StoredId, Option<Time>)>> {
        let mut conn = self.0;
        let found = passwords::table
            .filter(passwords::user_id.eq_any(ids(of)))
            .select((passwords::user_id, passwords::last_sign_in_at));
        found.load(&mut conn).await
    }

    /// Locks the rows in the order of their keys, so that two attempts cannot deadlock.
    async fn lock_failures(&self, attempt: &Attempt) -> QueryResult<()> {
        let mut conn = self.0;
        let mut counters = [attempt.name.0, attempt.address.0];
        counters.sort_unstable();
        let rows = counters.map(|counter| {
            (
                sign_in_failures::counter.eq(counter.to_vec()),
                sign_in_failures::times.eq(Vec::new()),
                sign_in_failures::expires_at.eq(time(attempt.at)),
            )
        });
        diesel::insert_into(sign_in_failures::table)
            .values(Vec::from(rows))
            .on_conflict(sign_in_failures::counter)
            .do_update()
            .set(sign_in_failures::counter.eq(excluded(sign_in_failures::counter)))
            .execute(&mut conn)
            .await
            .map(drop)
    }
}
