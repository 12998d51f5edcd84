//! The rows of idempotency keys, and the statements that both stores run.

use diesel::{dsl, pg::Pg, prelude::*, sql_types::BigInt, sqlite::Sqlite};
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{KeyState, KeyedRequest},
    ids::Uuid,
};

use crate::stored::{
    list::{Bind, BuiltStatement, Sql},
    row::Row,
    schema::idempotency_keys,
    sql::{Id, Ids, id},
    statement::{Statement, update},
};

/// The maximum number of keys to delete at once.
const DELETED_AT_ONCE: i64 = 1_000;

/// Stores a key with a value in this column. `set` sets the columns of a known key, and ends with the
/// condition, or the beginning of the condition, under which another run gives up the key. Writes one
/// row, or none when another run has the key. Stays prepared, unlike `sql_query`.
#[must_use]
pub fn upsert(
    request: &KeyedRequest,
    column: &'static str,
    value: impl FnOnce(&mut Sql),
    set: &'static str,
    now: Timestamp,
) -> BuiltStatement<BigInt> {
    let KeyedRequest { key, fingerprint, run, expires_at } = *request;
    let mut sql = Sql::of(&[
        "INSERT INTO idempotency_keys AS old (key, run, fingerprint, expires_at, ",
        column,
    ]);
    let (key, fingerprint) = (Bind::Bytes(key.to_vec()), Bind::Bytes(fingerprint.to_vec()));
    let of_request = [key, Bind::id(run), fingerprint, Bind::Integer(expires_at.millis())];
    sql.fill(") VALUES (?, ?, ?, ?, ", of_request);
    value(&mut sql);
    sql.texts(&[
        ") ON CONFLICT (key) DO UPDATE SET run = excluded.run, \
        fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, ",
        set,
        "old.run = excluded.run OR old.expires_at <= ",
    ]);
    sql.bind(Bind::Integer(now.millis()));
    sql.into()
}

/// Stores the records that a request changed.
#[must_use]
pub fn store_effect(
    request: &KeyedRequest,
    records: &[Uuid],
    now: Timestamp,
) -> BuiltStatement<BigInt> {
    let set = "effect = excluded.effect, answer = NULL WHERE ";
    upsert(request, "effect", |sql| sql.bind(Bind::ids(records)), set, now)
}

/// Stores the answer of a request.
#[must_use]
pub fn store_answer(
    request: &KeyedRequest,
    answer: Vec<u8>,
    now: Timestamp,
) -> BuiltStatement<BigInt> {
    let set = "answer = excluded.answer, \
        effect = CASE WHEN old.run = excluded.run THEN old.effect END WHERE ";
    upsert(request, "answer", |sql| sql.bind(Bind::Bytes(answer)), set, now)
}

/// Adds the answer of a run to the effect that it has stored. Changes no row if it has stored none.
/// Unlike [`store_answer`], it writes no index.
pub fn add_answer(request: &KeyedRequest, answer: &[u8]) -> impl Statement + use<> {
    let row = idempotency_keys::key
        .eq(request.key.to_vec())
        .and(idempotency_keys::run.eq(id(request.run)));
    update(idempotency_keys::table, row, idempotency_keys::answer.eq(answer.to_vec()))
}

/// Deletes some of the keys that have expired.
pub fn delete_expired(now: Timestamp) -> impl Statement + use<> {
    let statement = format!(
        "DELETE FROM idempotency_keys WHERE key IN (SELECT key FROM idempotency_keys \
         WHERE expires_at <= $1 ORDER BY expires_at LIMIT {DELETED_AT_ONCE})"
    );
    diesel::sql_query(statement).bind::<BigInt, _>(now.millis())
}

/// The columns that say what is known of a request.
#[derive(Queryable, Selectable)]
#[diesel(table_name = idempotency_keys, check_for_backend(Sqlite, Pg))]
pub struct KeyRow {
    run: Id,
    fingerprint: Vec<u8>,
    effect: Option<Ids>,
    answer: Option<Vec<u8>>,
}

/// The row of a key that has not expired.
#[dsl::auto_type(no_type_alias)]
pub fn find<'a>(key: &'a [u8], now: i64) -> _ {
    idempotency_keys::table
        .filter(idempotency_keys::key.eq(key))
        .filter(idempotency_keys::expires_at.gt(now))
}

impl KeyRow {
    /// What is known of `request`. `is_held`: its run still holds the key.
    ///
    /// # Errors
    /// `Corrupt` when the ids cannot be read.
    pub fn state(self, request: &KeyedRequest, is_held: bool) -> Result<KeyState, StoreError> {
        let Self { run, fingerprint, effect, answer } = self;
        if fingerprint != request.fingerprint {
            return Ok(KeyState::OtherRequest);
        }
        if let Some(answer) = answer {
            return Ok(KeyState::Answered(answer));
        }
        match effect.filter(|_| !is_held) {
            None => Ok(KeyState::InUse),
            Some(Ids(Ok(records))) => Ok(KeyState::Changed(records)),
            Some(Ids(Err(error))) => {
                Err(Row::new("idempotency_keys", run).corrupt("effect", error))
            }
        }
    }
}
