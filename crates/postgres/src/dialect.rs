//! What the ports of `patrol-repository` do in PostgreSQL's own way.

use diesel::{prelude::*, sql_types::Array, upsert::excluded};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    Named as _, Resource, Timestamp, Version, Versioned,
    access::Role,
    check_list::CheckList,
    event::EventFilter,
    figures::{FiguresQuery, Groups},
    ids::{TokenId, UserId, Uuid},
    list::Condition,
    sign_in::Attempt,
    task_execution::TaskExecution,
    user::UserStatus,
};
use patrol_repository::{
    Connection, Dialect,
    stored::{
        Abort,
        check_list::ActionColumns,
        event::in_columns,
        list::{BuiltStatement, Sql, Text},
        point::HistoryColumns,
        reference::{RecordTypes, select},
        schema::{check_list_actions, point_history, sign_in_failures, users},
        sql::{Id, id, ids, time, types},
        statement::Lock,
    },
};

use crate::{
    engine::JobConnection,
    event, figures,
    list::{Bind, plain},
    task_execution, user_names,
};

/// A row of [`RecordTypes`].
type Selected = (Id, Option<Id>);

impl Dialect for JobConnection<'_> {
    /// The current time instead of the start of the transaction, which may have waited.
    const NOW: &'static str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    const HAS_ARRAYS: bool = true;

    fn text(text: Text) -> &'static str {
        text.postgres
    }

    async fn add_rounds(&self, query: &FiguresQuery, groups: &mut Groups) -> QueryResult<()> {
        figures::add_rounds(self, query, groups).await
    }

    async fn newest_event(&self) -> QueryResult<i64> {
        event::newest(self.0).await
    }

    fn event_filter(condition: &Condition<EventFilter>, _: (i64, i64)) -> Sql {
        plain(&in_columns(condition))
    }

    async fn lock_row(&self, kind: Resource, id: Uuid, lock: Lock) -> QueryResult<bool> {
        let Some(mut sql) = select(kind) else { return Ok(false) };
        sql.is_one_of(&Bind::id(id));
        sql.text(lock.text());
        let found: Option<Selected> =
            Connection::first(self, BuiltStatement::<RecordTypes>::from(sql)).await?;
        Ok(found.is_some())
    }

    /// Locks are taken in order of id, so that two changes cannot deadlock. Records that refer to a
    /// user need not wait.
    async fn lock_users(&self, of: &[UserId], admins: bool) -> QueryResult<()> {
        let mut conn = self.0;
        let named = users::id.eq_any(ids(of));
        let is_admin =
            users::role.eq(Role::Admin.code()).and(users::status.eq(UserStatus::Active.code()));
        let locked = users::table.select(users::id).order(users::id);
        let locked: Vec<Id> = if admins {
            locked.filter(named.or(is_admin)).for_no_key_update().load(&mut conn).await?
        } else {
            locked.filter(named).for_no_key_update().load(&mut conn).await?
        };
        drop(locked);
        Ok(())
    }

    async fn lock_user_names(&self, names: Vec<&str>) -> QueryResult<()> {
        user_names::lock(self.0, names.into_iter()).await
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

    async fn insert_point_history(
        &self,
        records: Vec<(HistoryColumns<'_>, &[String])>,
    ) -> QueryResult<()> {
        let mut conn = self.0;
        let records: Vec<_> = records.into_iter().map(|(record, _)| record).collect();
        diesel::insert_into(point_history::table).values(records).execute(&mut conn).await.map(drop)
    }

    async fn insert_actions(&self, list: &CheckList) -> QueryResult<()> {
        let mut conn = self.0;
        let actions = (0_i32..).zip(&list.actions).map(|(position, action)| {
            (
                check_list_actions::check_list_id.eq(id(list.id)),
                check_list_actions::position.eq(position),
                ActionColumns::of(action),
            )
        });
        let actions: Vec<_> = actions.collect();
        diesel::insert_into(check_list_actions::table)
            .values(actions)
            .execute(&mut conn)
            .await
            .map(drop)
    }

    async fn touch_tokens(&self, uses: &[(TokenId, Timestamp)]) -> QueryResult<()> {
        let mut conn = self.0;
        let (ids, times): (Vec<_>, Vec<_>) =
            uses.iter().map(|(token, at)| (id(*token), time(*at))).unzip();
        diesel::sql_query(TOUCH)
            .bind::<Array<types::Id>, _>(&ids)
            .bind::<Array<types::Instant>, _>(&times)
            .execute(&mut conn)
            .await
            .map(drop)
    }

    async fn insert_executions<E: Send>(
        &self,
        new: &[&TaskExecution],
        version: Version,
    ) -> Result<(), Abort<E>> {
        task_execution::insert(self.0, new, version).await
    }

    async fn replace_execution<E: Send>(
        &self,
        old: &Versioned<TaskExecution>,
        new: &TaskExecution,
    ) -> Result<(), Abort<E>> {
        task_execution::replace(self.0, old, new).await
    }

    async fn remove_execution(&self, old: &TaskExecution) -> QueryResult<Option<i64>> {
        task_execution::remove(self.0, old.id).await
    }
}

/// One statement for all tokens, locked in the order of their ids on every node, so that two nodes
/// cannot deadlock. A node whose clock is behind does not move a time back.
const TOUCH: &str = "UPDATE tokens SET last_used_at = used.at \
    FROM ( \
        SELECT tokens.id, latest.at FROM tokens \
        JOIN ( \
            SELECT id, max(at) AS at FROM unnest($1, $2) AS uses (id, at) GROUP BY id \
        ) AS latest ON latest.id = tokens.id \
        ORDER BY tokens.id FOR NO KEY UPDATE OF tokens \
    ) AS used \
    WHERE tokens.id = used.id AND (tokens.last_used_at IS NULL OR tokens.last_used_at < used.at)";
