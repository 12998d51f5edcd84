//! SQL types with different forms in SQLite and PostgreSQL, so that a table is declared once; and
//! values of such columns.

use std::io::Write;

use diesel::{
    Selectable,
    data_types::PgTimestamp,
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    pg::{Pg, PgValue},
    query_builder::QueryId,
    serialize::{self, IsNull, Output, ToSql},
    sql_types::{Array, BigInt, SmallInt, SqlType, Text, Timestamptz, Uuid as SqlUuid},
    sqlite::{Sqlite, SqliteValue},
};
use patrol_domain::{
    StoreError, Timestamp,
    ids::Uuid,
    point::PlanPlace,
    scheduled_task::{PlannedStep, ScheduledTask},
    task_execution::{Step, TaskExecution},
};

use crate::stored::{
    Error, ids as packed, places,
    steps::{self, planned},
    texts,
};

/// SQL types, for `table!`.
pub mod types {
    use super::{QueryId, SqlType};

    pub use diesel::sql_types::{BigInt, Binary, Bool, Double, Integer, Nullable, SmallInt, Text};

    /// A UUID: a blob of 16 bytes, or `uuid`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Binary"))]
    #[diesel(postgres_type(oid = 2950, array_oid = 2951))]
    pub struct Id;

    /// Several UUIDs: a blob of 16 bytes each, or `uuid[]`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Binary"))]
    #[diesel(postgres_type(oid = 2951, array_oid = 2951))]
    pub struct Ids;

    /// A time: milliseconds since 1970 as an integer, or `timestamptz`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Long"))]
    #[diesel(postgres_type(oid = 1184, array_oid = 1185))]
    pub struct Instant;

    /// Several texts: a JSON array, or `text[]`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Text"))]
    #[diesel(postgres_type(oid = 1009, array_oid = 1009))]
    pub struct Texts;

    /// Several codes: a JSON array, or `smallint[]`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Text"))]
    #[diesel(postgres_type(oid = 1005, array_oid = 1005))]
    pub struct Codes;

    /// Several numbers: a JSON array, or `bigint[]`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Text"))]
    #[diesel(postgres_type(oid = 1016, array_oid = 1016))]
    pub struct Integers;

    /// Places on graphic plans: JSON as text, or `json`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Text"))]
    #[diesel(postgres_type(oid = 114, array_oid = 199))]
    pub struct Places;

    /// The steps of an execution: JSON as a blob, or `json`.
    #[derive(SqlType, QueryId, Clone, Copy, Debug)]
    #[diesel(sqlite_type(name = "Binary"))]
    #[diesel(postgres_type(oid = 114, array_oid = 199))]
    pub struct Steps;
}

/// The error of a statement that would write an id that could not be read.
const NOT_AN_ID: &str = "not 16 bytes";

/// The values to write.
fn readable<T>(values: &Result<Vec<T>, Error>) -> Result<&[T], Error> {
    values.as_deref().map_err(|error| *error)
}

/// An id. `None` when the blob that was read does not have 16 bytes.
#[derive(AsExpression, FromSqlRow, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[diesel(sql_type = types::Id)]
pub struct Id(pub(crate) Option<Uuid>);

impl Id {
    /// The id, if it is valid.
    pub fn get<T: From<Uuid>>(self) -> Option<T> {
        self.0.map(T::from)
    }
}

/// `id` in the form of a column.
pub fn id(id: impl Into<Uuid>) -> Id {
    Id(Some(id.into()))
}

/// `ids` for `eq_any`.
pub fn ids<T: Copy + Into<Uuid>>(ids: &[T]) -> Vec<Id> {
    ids.iter().map(|of| id(*of)).collect()
}

impl ToSql<types::Id, Sqlite> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_ref().ok_or(NOT_AN_ID)?.as_bytes().as_slice());
        Ok(IsNull::No)
    }
}

impl ToSql<types::Id, Pg> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<SqlUuid, Pg>::to_sql(self.0.as_ref().ok_or(NOT_AN_ID)?, out)
    }
}

impl FromSql<types::Id, Sqlite> for Id {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.read_blob()).ok()))
    }
}

impl FromSql<types::Id, Pg> for Id {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<SqlUuid, Pg>::from_sql(value).map(|id| Self(Some(id)))
    }
}

/// Ids, in order. An error when the blob that was read ends within an id.
#[derive(AsExpression, FromSqlRow, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[diesel(sql_type = types::Ids)]
pub struct Ids(pub(crate) Result<Vec<Uuid>, Error>);

impl Ids {
    /// These ids in the form of one column.
    pub fn new<T: Copy + Into<Uuid>>(ids: &[T]) -> Self {
        Self(Ok(ids.iter().map(|id| (*id).into()).collect()))
    }
}

impl ToSql<types::Ids, Sqlite> for Ids {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(packed::write(readable(&self.0)?));
        Ok(IsNull::No)
    }
}

impl ToSql<types::Ids, Pg> for Ids {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<SqlUuid>, Pg>::to_sql(readable(&self.0)?, out)
    }
}

impl FromSql<types::Ids, Sqlite> for Ids {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(packed::read(value.read_blob())))
    }
}

impl FromSql<types::Ids, Pg> for Ids {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<Array<SqlUuid>, Pg>::from_sql(value).map(|ids| Self(Ok(ids)))
    }
}

/// Milliseconds since 1970. A value that was read may be outside the years of [`Timestamp`].
#[derive(AsExpression, FromSqlRow, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[diesel(sql_type = types::Instant)]
pub struct Time(pub(crate) i64);

impl Time {
    /// Milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }
}

/// `time` in the form of a column.
#[must_use]
pub const fn time(time: Timestamp) -> Time {
    Time(time.millis())
}

/// Milliseconds from 1970 to 2000, the epoch of PostgreSQL.
const EPOCH: i64 = 946_684_800_000;

impl ToSql<types::Instant, Sqlite> for Time {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0);
        Ok(IsNull::No)
    }
}

impl ToSql<types::Instant, Pg> for Time {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        // Timestamps are in the years 0001 to 9999, so nothing overflows.
        let micros = PgTimestamp((self.0 - EPOCH) * 1000);
        ToSql::<Timestamptz, Pg>::to_sql(&micros, &mut out.reborrow())
    }
}

impl FromSql<types::Instant, Sqlite> for Time {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        FromSql::<BigInt, Sqlite>::from_sql(value).map(Self)
    }
}

impl FromSql<types::Instant, Pg> for Time {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let PgTimestamp(micros) = FromSql::<Timestamptz, Pg>::from_sql(value)?;
        Ok(Self(micros.div_euclid(1000) + EPOCH))
    }
}

/// Texts, in order. An error when what was read is not a JSON array of texts.
#[derive(AsExpression, FromSqlRow, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[diesel(sql_type = types::Texts)]
pub struct Texts(pub(crate) Result<Vec<String>, Error>);

impl Texts {
    /// The tags in the form for the quick search; `None` if the column cannot be read.
    #[must_use]
    pub fn folded_tags(&self) -> Option<String> {
        self.0.as_ref().ok().map(|tags| texts::folded_tags(tags))
    }
}

impl ToSql<types::Texts, Sqlite> for Texts {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(texts::write(readable(&self.0)?)?);
        Ok(IsNull::No)
    }
}

impl ToSql<types::Texts, Pg> for Texts {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<Text>, Pg>::to_sql(readable(&self.0)?, out)
    }
}

impl FromSql<types::Texts, Sqlite> for Texts {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(texts::read(value.read_text())))
    }
}

impl FromSql<types::Texts, Pg> for Texts {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<Array<Text>, Pg>::from_sql(value).map(|texts| Self(Ok(texts)))
    }
}

/// Codes to compare with.
#[derive(AsExpression, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[diesel(sql_type = types::Codes)]
pub struct Codes(pub Vec<i16>);

impl ToSql<types::Codes, Sqlite> for Codes {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(&self.0)?);
        Ok(IsNull::No)
    }
}

impl ToSql<types::Codes, Pg> for Codes {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<SmallInt>, Pg>::to_sql(self.0.as_slice(), out)
    }
}

/// Numbers to compare with.
#[derive(AsExpression, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[diesel(sql_type = types::Integers)]
pub struct Integers(pub Vec<i64>);

impl ToSql<types::Integers, Sqlite> for Integers {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(serde_json::to_string(&self.0)?);
        Ok(IsNull::No)
    }
}

impl ToSql<types::Integers, Pg> for Integers {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Array<BigInt>, Pg>::to_sql(self.0.as_slice(), out)
    }
}

/// Places on graphic plans to write, in order.
#[derive(AsExpression, Clone, Copy, Debug)]
#[diesel(sql_type = types::Places)]
pub struct Places<'a>(pub &'a [PlanPlace]);

impl ToSql<types::Places, Sqlite> for Places<'_> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(places::write(self.0)?);
        Ok(IsNull::No)
    }
}

impl ToSql<types::Places, Pg> for Places<'_> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(places::write(self.0)?.as_bytes())?;
        Ok(IsNull::No)
    }
}

/// Places on graphic plans, parsed directly from the database's memory, because they may take
/// megabytes and a copy would double that. `None` for null: the statement left them out.
#[derive(FromSqlRow, Debug)]
pub struct StoredPlaces(pub(crate) Option<Result<Vec<PlanPlace>, Error>>);

impl FromSql<types::Places, Sqlite> for StoredPlaces {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(Some(places::read(value.read_text().as_bytes()))))
    }
}

impl FromSql<types::Places, Pg> for StoredPlaces {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Some(places::read(value.as_bytes()))))
    }

    fn from_nullable_sql(value: Option<PgValue<'_>>) -> deserialize::Result<Self> {
        value.map_or(Ok(Self(None)), FromSql::<types::Places, Pg>::from_sql)
    }
}

/// Steps to write, in the form of [`steps::write`] or [`planned::write`]; compressed on SQLite.
#[derive(AsExpression, Clone, PartialEq, Eq, Debug)]
#[diesel(sql_type = types::Steps)]
pub struct Document(Vec<u8>);

impl Document {
    /// The document of the steps of this execution.
    ///
    /// # Errors
    /// `Internal` when a value cannot be written.
    pub fn of(execution: &TaskExecution) -> Result<Self, StoreError> {
        steps::write(&execution.steps).map(Self).map_err(unwritten)
    }

    /// The document of the steps of this task.
    ///
    /// # Errors
    /// `Internal` when a value cannot be written.
    pub fn of_plan(task: &ScheduledTask) -> Result<Self, StoreError> {
        planned::write(&task.steps).map(Self).map_err(unwritten)
    }
}

impl ToSql<types::Steps, Sqlite> for Document {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(steps::pack(self.0.clone()));
        Ok(IsNull::No)
    }
}

impl ToSql<types::Steps, Pg> for Document {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&self.0)?;
        Ok(IsNull::No)
    }
}

fn unwritten(error: Error) -> StoreError {
    StoreError::Internal(format!("steps cannot be written: {error}"))
}

/// Steps of an execution to write on SQLite, compressed ahead of the writer.
#[derive(AsExpression, Clone, PartialEq, Eq, Debug)]
#[diesel(sql_type = types::Steps)]
pub struct PackedDocument(Vec<u8>);

impl PackedDocument {
    /// The compressed document of the steps of this execution.
    ///
    /// # Errors
    /// `Internal` when a value cannot be written.
    pub fn of(execution: &TaskExecution) -> Result<Self, StoreError> {
        Document::of(execution).map(|Document(json)| Self(steps::pack(json)))
    }
}

impl ToSql<types::Steps, Sqlite> for PackedDocument {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_slice());
        Ok(IsNull::No)
    }
}

/// The steps of an execution.
#[derive(FromSqlRow, Debug)]
pub struct StoredSteps(pub(crate) Result<Vec<Step>, Error>);

impl FromSql<types::Steps, Sqlite> for StoredSteps {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(steps::read_packed(value.read_blob())))
    }
}

impl FromSql<types::Steps, Pg> for StoredSteps {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(steps::read(value.as_bytes())))
    }
}

/// The steps of a scheduled task.
#[derive(FromSqlRow, Debug)]
pub struct StoredPlan(pub(crate) Result<Vec<PlannedStep>, Error>);

impl FromSql<types::Steps, Sqlite> for StoredPlan {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(steps::unpack(value.read_blob()).and_then(|json| planned::read(&json))))
    }
}

impl FromSql<types::Steps, Pg> for StoredPlan {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(planned::read(value.as_bytes())))
    }
}

/// The columns that `R` reads, for a query that both databases run. (`R::as_select()` would be for
/// one of them.)
#[must_use]
pub fn columns<R: Selectable<Pg>>() -> R::SelectExpression {
    R::construct_selection()
}
