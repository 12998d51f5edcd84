//! A row in the form that Diesel reads.

use std::{error::Error, num::NonZeroU32, ops::Range, sync::Arc};

use diesel::{
    pg::{Pg, PgValue},
    row::{Field, PartialRow, Row as DieselRow, RowIndex, RowSealed},
};
use tokio_postgres::types::{FromSql, Type};

/// A row and the types of its columns.
pub(crate) struct Row {
    row: tokio_postgres::Row,
    types: Arc<[NonZeroU32]>,
}

impl Row {
    pub(super) const fn new(row: tokio_postgres::Row, types: Arc<[NonZeroU32]>) -> Self {
        Self { row, types }
    }
}

impl RowSealed for Row {}

impl<'a> DieselRow<'a, Pg> for Row {
    type Field<'b>
        = Value<'b>
    where
        'a: 'b,
        Self: 'b;
    type InnerPartialRow = Self;

    fn field_count(&self) -> usize {
        self.row.len()
    }

    fn get<'b, I>(&'b self, index: I) -> Option<Self::Field<'b>>
    where
        'a: 'b,
        Self: RowIndex<I>,
    {
        let column = self.idx(index)?;
        Some(Value { row: self, column })
    }

    fn partial_row(&self, range: Range<usize>) -> PartialRow<'_, Self::InnerPartialRow> {
        PartialRow::new(self, range)
    }
}

impl RowIndex<usize> for Row {
    fn idx(&self, index: usize) -> Option<usize> {
        (index < self.row.len()).then_some(index)
    }
}

impl RowIndex<&str> for Row {
    fn idx(&self, name: &str) -> Option<usize> {
        self.row.columns().iter().position(|column| column.name() == name)
    }
}

/// A value of a row.
pub(crate) struct Value<'a> {
    row: &'a Row,
    column: usize,
}

impl<'a> Field<'a, Pg> for Value<'a> {
    fn field_name(&self) -> Option<&str> {
        Some(self.row.row.columns().get(self.column)?.name())
    }

    fn value(&self) -> Option<PgValue<'_>> {
        // Accepts any type, so it fails only for a missing column.
        let Raw(bytes) = self.row.row.try_get(self.column).ok()?;
        Some(PgValue::new(bytes?, self.row.types.get(self.column)?))
    }
}

/// A raw value, or null.
struct Raw<'a>(Option<&'a [u8]>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
