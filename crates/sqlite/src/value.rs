//! Values as columns hold them, and how they are read: a value that cannot be read is
//! [`StoreError::Corrupt`], with its table, column and row.

use std::fmt;

use diesel::{
    define_sql_function,
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    serialize::{self, IsNull, Output, ToSql},
    sql_types::{Binary, Text},
    sqlite::{Sqlite, SqliteValue},
};
use patrol_domain::{
    Named, StoreError, Timestamp, ids::Uuid, location::Position, shared::text::fold,
};
use patrol_stored as stored;

/// An id to be written or compared with: 16 bytes.
#[derive(AsExpression, Clone, Copy, PartialEq, Debug)]
#[diesel(sql_type = Binary)]
pub(crate) struct Id(Uuid);

/// `id` as it is stored.
pub(crate) fn id(id: impl Into<Uuid>) -> Id {
    Id(id.into())
}

impl ToSql<Binary, Sqlite> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_bytes().as_slice());
        Ok(IsNull::No)
    }
}

/// An id as it was found; none when it is not 16 bytes.
#[derive(FromSqlRow, Clone, Copy, Debug)]
pub(crate) struct StoredId(Option<Uuid>);

impl FromSql<Binary, Sqlite> for StoredId {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.read_blob()).ok()))
    }
}

/// Packed ids as they were found.
#[derive(FromSqlRow, Debug)]
pub(crate) struct StoredIds<T>(Result<Vec<T>, stored::Error>);

impl<T: From<Uuid>> FromSql<Binary, Sqlite> for StoredIds<T> {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(stored::ids::read(value.read_blob())))
    }
}

/// A list of texts as it was found.
#[derive(FromSqlRow, Debug)]
pub(crate) struct StoredTexts(Result<Vec<String>, stored::Error>);

impl FromSql<Text, Sqlite> for StoredTexts {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(stored::texts::read(value.read_text())))
    }
}

/// The row of a table that values are read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    table: &'static str,
    id: Option<Uuid>,
}

impl Row {
    /// The row of `table` with this id.
    pub(crate) const fn new(table: &'static str, id: StoredId) -> Self {
        Self { table, id: id.0 }
    }

    /// The error of a value that cannot be read.
    pub(crate) fn corrupt(self, column: &'static str, cause: impl fmt::Display) -> StoreError {
        let row = self.id.map_or_else(|| "an unreadable id".to_owned(), |id| id.to_string());
        StoreError::Corrupt { table: self.table, column, row, cause: cause.to_string() }
    }

    pub(crate) fn id<T: From<Uuid>>(
        self,
        column: &'static str,
        id: StoredId,
    ) -> Result<T, StoreError> {
        id.0.map(T::from).ok_or_else(|| self.corrupt(column, "not 16 bytes"))
    }

    pub(crate) fn ids<T>(
        self,
        column: &'static str,
        ids: StoredIds<T>,
    ) -> Result<Vec<T>, StoreError> {
        ids.0.map_err(|error| self.corrupt(column, error))
    }

    pub(crate) fn texts(
        self,
        column: &'static str,
        texts: StoredTexts,
    ) -> Result<Vec<String>, StoreError> {
        texts.0.map_err(|error| self.corrupt(column, error))
    }

    pub(crate) fn named<T: Named>(self, column: &'static str, code: i16) -> Result<T, StoreError> {
        T::coded(code).ok_or_else(|| self.corrupt(column, format_args!("no code {code}")))
    }

    pub(crate) fn time(self, column: &'static str, millis: i64) -> Result<Timestamp, StoreError> {
        Timestamp::from_millis(millis)
            .ok_or_else(|| self.corrupt(column, "outside the years 0001 to 9999"))
    }

    pub(crate) fn position(
        self,
        latitude: Option<f64>,
        longitude: Option<f64>,
    ) -> Result<Option<Position>, StoreError> {
        match (latitude, longitude) {
            (Some(latitude), Some(longitude)) => Ok(Some(Position { latitude, longitude })),
            (None, None) => Ok(None),
            _ => Err(self.corrupt("longitude", "one coordinate without the other")),
        }
    }
}

/// The failure to write a stored form, a defect.
pub(crate) fn unwritable(error: stored::Error) -> StoreError {
    StoreError::Internal(format!("a value cannot be written: {error}"))
}

/// Tags as the quick search looks into them: folded, with the one character between them that no
/// text may hold, so that no term matches across two of them.
pub(crate) fn folded_tags(tags: &[String]) -> String {
    let folded: Vec<_> = tags.iter().map(|tag| fold(tag)).collect();
    folded.join("\0")
}

define_sql_function! {
    /// The key of the row that the connection inserted last.
    fn last_insert_rowid() -> BigInt;
}
