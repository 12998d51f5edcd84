//! Reads rows. A value that cannot be read is [`StoreError::Corrupt`] with its table, column and
//! row.

use std::fmt;

use patrol_domain::{Named, StoreError, Timestamp, ids::Uuid, location::Position};

use crate::stored::sql::{Id, Ids, Texts, Time};

/// Identifies a row in errors.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    table: &'static str,
    id: Option<Uuid>,
}

impl Row {
    /// The row of `table` with this id.
    #[must_use]
    pub const fn new(table: &'static str, id: Id) -> Self {
        Self { table, id: id.0 }
    }

    /// The error for a value that cannot be read.
    pub fn corrupt(self, column: &'static str, cause: impl fmt::Display) -> StoreError {
        let row = self.id.map_or_else(|| "an unreadable id".to_owned(), |id| id.to_string());
        StoreError::Corrupt { table: self.table, column, row, cause: cause.to_string() }
    }

    /// The id in a column.
    ///
    /// # Errors
    /// `Corrupt` when it does not have 16 bytes.
    pub fn id<T: From<Uuid>>(self, column: &'static str, id: Id) -> Result<T, StoreError> {
        id.0.map(T::from).ok_or_else(|| self.corrupt(column, "not 16 bytes"))
    }

    /// The ids in a column.
    ///
    /// # Errors
    /// `Corrupt` when the last one is incomplete.
    pub fn ids<T: From<Uuid>>(self, column: &'static str, ids: Ids) -> Result<Vec<T>, StoreError> {
        let ids = ids.0.map_err(|error| self.corrupt(column, error))?;
        Ok(ids.into_iter().map(T::from).collect())
    }

    /// The texts in a column.
    ///
    /// # Errors
    /// `Corrupt` when they do not have the form that was written.
    pub fn texts(self, column: &'static str, texts: Texts) -> Result<Vec<String>, StoreError> {
        texts.0.map_err(|error| self.corrupt(column, error))
    }

    /// An enumeration value.
    ///
    /// # Errors
    /// `Corrupt` for an unknown code.
    pub fn named<T: Named>(self, column: &'static str, code: i16) -> Result<T, StoreError> {
        T::from_code(code).ok_or_else(|| self.corrupt(column, format_args!("no code {code}")))
    }

    /// A time.
    ///
    /// # Errors
    /// `Corrupt` when it is outside the years of a [`Timestamp`].
    pub fn time(self, column: &'static str, time: Time) -> Result<Timestamp, StoreError> {
        Timestamp::from_millis(time.0)
            .ok_or_else(|| self.corrupt(column, "outside the years 0001 to 9999"))
    }

    /// A position from its two columns.
    ///
    /// # Errors
    /// `Corrupt` when only one of them is null.
    pub fn position(
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
