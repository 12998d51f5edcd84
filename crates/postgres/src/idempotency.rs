//! Idempotency keys. A request that begins stores its key, so that the other nodes know that it is
//! running. These statements need not be durable, so they wait for no disk: the effect is stored by
//! the transaction of the change.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use diesel::{
    dsl::sql,
    prelude::*,
    sql_types::{BigInt, Binary, Bool},
};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{IdempotencyKeys, KeyState, KeyedRequest},
};
use patrol_repository::stored::{
    idempotency::{self, KeyRow},
    sql::{id, types},
};

use crate::{
    Store,
    engine::{Abort, Connection},
    list::{Bind, Sql},
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

/// Stores the key if it is unknown or expired, or if its run gave it up without an effect or an answer.
/// Returns whether it was. The same statement may run again after a lost connection.
async fn acquire(
    mut conn: &Connection,
    request: &KeyedRequest,
    hold: Duration,
    now: Timestamp,
) -> Result<bool, Abort<StoreError>> {
    let held_until = |sql: &mut Sql| {
        let now_and_hold = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ?";
        sql.fill(now_and_hold, [Bind::Integer(millis(hold))]);
    };
    let set = "held_until = excluded.held_until, effect = NULL, answer = NULL \
        WHERE (old.effect IS NULL AND old.answer IS NULL AND old.held_until <= \
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint) OR ";
    let acquire = idempotency::upsert(request, "held_until", held_until, set, now);
    Ok(acquire.execute(&mut conn).await? > 0)
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
