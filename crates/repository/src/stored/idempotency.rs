//! The rows of idempotency keys, and the statements that both stores run.

use diesel::{
    backend::Backend,
    dsl,
    pg::Pg,
    prelude::*,
    query_builder::{AstPass, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::{BigInt, Binary, HasSqlType},
    sqlite::Sqlite,
};
use patrol_domain::{
    StoreError, Timestamp,
    idempotency::{KeyState, KeyedRequest},
    ids::Uuid,
};

use crate::stored::{
    row::Row,
    schema::idempotency_keys,
    sql::{Id, Ids, id, types},
    statement::{Statement, update},
};

/// The maximum number of keys to delete at once.
const DELETED_AT_ONCE: i64 = 1_000;

/// An upsert of a key that stays prepared, unlike `sql_query`. Writes one row, or none when another
/// run has the key.
#[derive(Debug)]
pub struct Upsert<V> {
    key: Vec<u8>,
    run: Id,
    fingerprint: Vec<u8>,
    expires_at: i64,
    /// The column of the value, and the clauses that set it and the other one.
    column: &'static str,
    set: &'static str,
    value: V,
    now: i64,
}

impl<V> Upsert<V> {
    fn new(
        request: &KeyedRequest,
        (column, set): (&'static str, &'static str),
        value: V,
        now: Timestamp,
    ) -> Self {
        let KeyedRequest { key, fingerprint, run, expires_at } = *request;
        let (key, fingerprint) = (key.to_vec(), fingerprint.to_vec());
        let (run, expires_at, now) = (id(run), expires_at.millis(), now.millis());
        Self { key, run, fingerprint, expires_at, column, set, value, now }
    }
}

/// Stores the records that a request changed.
#[must_use]
pub fn store_effect(request: &KeyedRequest, records: &[Uuid], now: Timestamp) -> Upsert<Ids> {
    let columns = ("effect", "effect = excluded.effect, answer = NULL");
    Upsert::new(request, columns, Ids::new(records), now)
}

/// Stores the answer of a request.
#[must_use]
pub fn store_answer(
    request: &KeyedRequest,
    answer: Vec<u8>,
    now: Timestamp,
) -> Upsert<StoredResponse> {
    let set = "answer = excluded.answer, \
        effect = CASE WHEN old.run = excluded.run THEN old.effect END";
    Upsert::new(request, ("answer", set), StoredResponse(answer), now)
}

/// Adds the answer of a run to the effect that it has stored. Changes no row if it has stored none.
/// Unlike [`store_answer`], it writes no index.
pub fn add_answer(request: &KeyedRequest, answer: &[u8]) -> impl Statement + use<> {
    let row = idempotency_keys::key
        .eq(request.key.to_vec())
        .and(idempotency_keys::run.eq(id(request.run)));
    update(idempotency_keys::table, row, idempotency_keys::answer.eq(answer.to_vec()))
}

/// A stored answer.
#[derive(Debug)]
pub struct StoredResponse(Vec<u8>);

/// A value of an [`Upsert`].
pub trait Value<DB: Backend> {
    /// Adds the value to the statement.
    ///
    /// # Errors
    /// When it cannot be written.
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>;
}

impl<DB: Backend> Value<DB> for Ids
where
    DB: HasSqlType<types::Ids>,
    Self: ToSql<types::Ids, DB>,
{
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_bind_param::<types::Ids, _>(self)
    }
}

impl<DB: Backend> Value<DB> for StoredResponse
where
    Vec<u8>: ToSql<Binary, DB>,
{
    fn bind<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_bind_param::<Binary, _>(&self.0)
    }
}

impl<DB, V: Value<DB>> QueryFragment<DB> for Upsert<V>
where
    DB: Backend + HasSqlType<types::Id>,
    Id: ToSql<types::Id, DB>,
    Vec<u8>: ToSql<Binary, DB>,
    i64: ToSql<BigInt, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("INSERT INTO idempotency_keys AS old (key, run, fingerprint, expires_at, ");
        out.push_sql(self.column);
        out.push_sql(") VALUES (");
        out.push_bind_param::<Binary, _>(&self.key)?;
        out.push_sql(", ");
        out.push_bind_param::<types::Id, _>(&self.run)?;
        out.push_sql(", ");
        out.push_bind_param::<Binary, _>(&self.fingerprint)?;
        out.push_sql(", ");
        out.push_bind_param::<BigInt, _>(&self.expires_at)?;
        out.push_sql(", ");
        self.value.bind(&mut out)?;
        out.push_sql(
            ") ON CONFLICT (key) DO UPDATE SET run = excluded.run, \
            fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, ",
        );
        out.push_sql(self.set);
        out.push_sql(" WHERE old.run = excluded.run OR old.expires_at <= ");
        out.push_bind_param::<BigInt, _>(&self.now)
    }
}

/// Its text depends on the column.
impl<V> QueryId for Upsert<V> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<V, Conn> RunQueryDsl<Conn> for Upsert<V> {}

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
