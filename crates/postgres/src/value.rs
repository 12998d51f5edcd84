//! Values as columns hold them, and how they are read: a value that cannot be read is
//! [`StoreError::Corrupt`], with its table, column and row.

use std::{fmt, io::Write};

use diesel::{
    data_types::PgTimestamp,
    deserialize::{self, FromSql, FromSqlRow},
    expression::AsExpression,
    pg::{Pg, PgValue},
    serialize::{self, IsNull, Output, ToSql},
    sql_types::{Json, Timestamptz},
};
use patrol_domain::{
    Named, StoreError, Timestamp, ids::Uuid, location::Position, shared::text::fold,
};
use patrol_stored as stored;

/// `ids` as an array holds them.
pub(crate) fn uuids<T: Copy + Into<Uuid>>(ids: &[T]) -> Vec<Uuid> {
    ids.iter().map(|id| (*id).into()).collect()
}

/// The ids that an array holds.
pub(crate) fn ids<T: From<Uuid>>(uuids: Vec<Uuid>) -> Vec<T> {
    uuids.into_iter().map(T::from).collect()
}

/// A time as it is stored: in milliseconds since 1970, of any year.
#[derive(AsExpression, FromSqlRow, Clone, Copy, PartialEq, Eq, Debug)]
#[diesel(sql_type = Timestamptz)]
pub(crate) struct Time(i64);

/// `time` as it is stored.
pub(crate) const fn time(time: Timestamp) -> Time {
    Time(time.millis())
}

/// Milliseconds from 1970 to 2000, from where PostgreSQL counts.
const EPOCH: i64 = 946_684_800_000;

impl ToSql<Timestamptz, Pg> for Time {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        // Timestamps lie within the years 0001 to 9999, so that nothing overflows.
        let micros = PgTimestamp((self.0 - EPOCH) * 1000);
        ToSql::<Timestamptz, Pg>::to_sql(&micros, &mut out.reborrow())
    }
}

impl FromSql<Timestamptz, Pg> for Time {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let PgTimestamp(micros) = FromSql::<Timestamptz, Pg>::from_sql(value)?;
        Ok(Self(micros.div_euclid(1000) + EPOCH))
    }
}

/// A JSON document, as it is sent and stored.
#[derive(AsExpression, FromSqlRow, Clone, PartialEq, Eq, Debug)]
#[diesel(sql_type = Json)]
pub(crate) struct Document(pub(crate) Vec<u8>);

impl ToSql<Json, Pg> for Document {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&self.0)?;
        Ok(IsNull::No)
    }
}

impl FromSql<Json, Pg> for Document {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(value.as_bytes().to_owned()))
    }
}

/// The row of a table that values are read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    table: &'static str,
    id: Uuid,
}

impl Row {
    /// The row of `table` with this id.
    pub(crate) const fn new(table: &'static str, id: Uuid) -> Self {
        Self { table, id }
    }

    /// The error of a value that cannot be read.
    pub(crate) fn corrupt(self, column: &'static str, cause: impl fmt::Display) -> StoreError {
        let row = self.id.to_string();
        StoreError::Corrupt { table: self.table, column, row, cause: cause.to_string() }
    }

    pub(crate) fn named<T: Named>(self, column: &'static str, code: i16) -> Result<T, StoreError> {
        T::coded(code).ok_or_else(|| self.corrupt(column, format_args!("no code {code}")))
    }

    pub(crate) fn time(self, column: &'static str, time: Time) -> Result<Timestamp, StoreError> {
        Timestamp::from_millis(time.0)
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

/// Tags as the quick search looks into them: folded, with a character between them that no folded
/// text holds, so that no term matches across two of them. It cannot be U+0000, which PostgreSQL does
/// not store.
pub(crate) fn folded_tags(tags: &[String]) -> String {
    let folded: Vec<_> = tags.iter().map(|tag| fold(tag)).collect();
    folded.join("A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folded_text_holds_what_stands_between_tags() {
        for letter in '\0'..=char::MAX {
            assert!(!fold(&letter.to_string()).contains('A'), "{letter:?}");
        }
    }
}
