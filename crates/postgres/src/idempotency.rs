//! Idempotency keys. A request that begins stores its key, so that the other nodes know that it is
//! running. These statements need not be durable, so they wait for no disk: the effect is stored by
//! the transaction of the change.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use diesel::{
    dsl::sql,
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    sql_types::{BigInt, Binary, Bool},
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{IdempotencyKeys, KeyState, KeyedRequest},
};
use patrol_repository::stored::{
    idempotency::{self, KeyRow},
    sql::{Id, id, types},
};

use crate::{
    Store,
    engine::{Abort, Connection},
};

/// How often a key is looked up that another run gives up at the same moment.
const ATTEMPTS: usize = 3;

#[async_trait]
impl IdempotencyKeys for Store {
    async fn begin(
        &self,
        request: KeyedRequest,
        hold: Duration,
        now: Timestamp,
    ) -> Result<KeyState, StoreError> {
        let begin = async |conn: Arc<Connection>| {
            for _ in 0..ATTEMPTS {
                if acquire(&conn, &request, hold, now).await? {
                    return Ok(KeyState::Free);
                }
                let found = idempotency::find(&request.key, now.millis());
                let columns = (KeyRow::as_select(), sql::<Bool>(IS_HELD));
                let found: Option<(KeyRow, bool)> =
                    found.select(columns).first(&mut conn.as_ref()).await.optional()?;
                if let Some((read, is_held)) = found {
                    return Ok(read.state(&request, is_held)?);
                }
            }
            Ok(KeyState::InUse)
        };
        self.key_statement(begin).await
    }

    async fn hold(&self, request: KeyedRequest, hold: Duration) -> Result<(), StoreError> {
        let change = async |conn: Arc<Connection>| {
            diesel::sql_query(HOLD)
                .bind::<BigInt, _>(millis(hold))
                .bind::<Binary, _>(request.key.as_slice())
                .bind::<types::Id, _>(id(request.run))
                .execute(&mut conn.as_ref())
                .await?;
            Ok(())
        };
        self.key_statement(change).await
    }

    async fn keep(
        &self,
        request: KeyedRequest,
        answer: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let keep = async |conn: Arc<Connection>| {
            let stored = idempotency::store_answer(&request, answer.clone(), now);
            stored.execute(&mut conn.as_ref()).await?;
            Ok(())
        };
        self.key_statement(keep).await
    }

    async fn delete_expired(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.transaction(None, async |conn| {
            Ok(idempotency::delete_expired(now).execute(&mut conn.as_ref()).await?)
        })
        .await
    }
}

/// Stores the key if it is free. Returns whether it was.
async fn acquire(
    mut conn: &Connection,
    request: &KeyedRequest,
    hold: Duration,
    now: Timestamp,
) -> Result<bool, Abort<StoreError>> {
    let KeyedRequest { key, fingerprint, run, expires_at } = *request;
    let (run, expires_at, hold, now) = (id(run), expires_at.millis(), millis(hold), now.millis());
    let acquire = Acquire { key: &key, run, fingerprint: &fingerprint, expires_at, hold, now };
    Ok(acquire.execute(&mut conn).await? > 0)
}

/// Stores a key that is unknown, expired, or whose run gave it up without an effect or an answer. The
/// same statement may run again after a lost connection. Stays prepared, unlike `sql_query`.
struct Acquire<'a> {
    key: &'a [u8],
    run: Id,
    fingerprint: &'a [u8],
    expires_at: i64,
    hold: i64,
    now: i64,
}

impl QueryId for Acquire<'_> {
    type QueryId = Acquire<'static>;
}

impl QueryFragment<Pg> for Acquire<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO idempotency_keys AS old (key, run, fingerprint, expires_at, held_until) \
             VALUES (",
        );
        out.push_bind_param::<Binary, _>(self.key)?;
        out.push_sql(", ");
        out.push_bind_param::<types::Id, _>(&self.run)?;
        out.push_sql(", ");
        out.push_bind_param::<Binary, _>(self.fingerprint)?;
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.expires_at)?;
        out.push_sql(", (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ");
        out.push_bind_param::<BigInt, _>(&self.hold)?;
        out.push_sql(
            ") ON CONFLICT (key) DO UPDATE SET run = excluded.run, \
             fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, \
             held_until = excluded.held_until, effect = NULL, answer = NULL \
             WHERE old.run = excluded.run \
             OR (old.effect IS NULL AND old.answer IS NULL AND old.held_until <= \
             (extract(epoch FROM clock_timestamp()) * 1000)::bigint) OR old.expires_at <= ",
        );
        out.push_bind_param::<BigInt, _>(&self.now)
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Like every UPDATE, it stays prepared.
const HOLD: &str = "UPDATE idempotency_keys \
    SET held_until = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $1 \
    WHERE key = $2 AND run = $3";

/// Whether the run of a key still holds it.
const IS_HELD: &str = "held_until > (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
