//! The document of a list, JSON or CSV, written as rows arrive.

use patrol_domain::{
    StoreError,
    list::{Direction, Page, Part, bytes_of},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    declaration::{FilterPlace, ListDeclaration, RowContext},
    parse::Echo,
};
use crate::csv::CsvRows;

/// The form of a list document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `{"data":[…],"meta":{…},"filter":[…]}`, in this order, the last member only if the list has it.
    Json,
    /// A header, and a row for each item.
    Csv,
}

/// A list document under construction.
pub(crate) struct Document<L: ListDeclaration> {
    echo: Echo,
    context: RowContext,
    /// The bytes that were written and not taken yet.
    out: Vec<u8>,
    rows: Rows,
    list: std::marker::PhantomData<fn() -> L>,
}

/// How the items are written.
enum Rows {
    Json { begun: bool },
    Csv(CsvRows),
}

/// Enough bytes for most items, so that the buffer of a page does not grow.
const ITEM_BYTES: usize = 768;
/// Enough bytes for everything around the items.
const FRAME_BYTES: usize = 512;

impl<L: ListDeclaration> Document<L> {
    /// An empty document with a buffer for its expected size, at most `capacity` bytes.
    ///
    /// # Errors
    /// `Internal` when the header cannot be written.
    pub(crate) fn new(
        form: Form,
        echo: Echo,
        context: RowContext,
        capacity: usize,
    ) -> Result<Self, StoreError> {
        let items = usize::try_from(echo.page.limit).unwrap_or(usize::MAX);
        let mut out = Vec::with_capacity(
            items.saturating_mul(ITEM_BYTES).saturating_add(FRAME_BYTES).min(capacity),
        );
        let rows = match form {
            Form::Json => {
                out.extend_from_slice(br#"{"data":["#);
                Rows::Json { begun: false }
            }
            Form::Csv => Rows::Csv(CsvRows::begin::<L::Row<'_>>(&mut out)?),
        };
        Ok(Self { echo, context, out, rows, list: std::marker::PhantomData })
    }

    /// Writes rows or the total. After the total the document is complete.
    ///
    /// # Errors
    /// When an item cannot be written.
    pub(crate) fn write(&mut self, part: &Part<L::Item>) -> Result<(), StoreError> {
        match part {
            Part::Rows(rows) => {
                // Growing by doubling would take twice the memory of a large item.
                let bytes = bytes_of::<L>(rows);
                self.out.reserve(rows.len().saturating_mul(ITEM_BYTES).max(bytes + bytes / 8));
                let mut rows = rows.iter().map(|item| L::row(item, self.context));
                match &mut self.rows {
                    Rows::Json { begun } => rows.try_for_each(|row| {
                        if std::mem::replace(begun, true) {
                            self.out.push(b',');
                        }
                        write(&mut self.out, &row)
                    }),
                    Rows::Csv(csv) => csv.write(rows, &mut self.out),
                }
            }
            Part::Total(count) => match self.rows {
                Rows::Json { .. } => self.tail(*count),
                Rows::Csv(_) => Ok(()),
            },
        }
    }

    fn tail(&mut self, count: u64) -> Result<(), StoreError> {
        let Page { limit, offset } = self.echo.page;
        let meta = Meta { offset, limit, count, sort: sorts(&self.echo.sort) };
        let filter = self.echo.filter.iter();
        let filter: Vec<_> =
            filter.map(|(property, value)| AppliedFilter { property, value }).collect();
        self.out.extend_from_slice(br#"],"meta":"#);
        match L::FILTER_PLACE {
            FilterPlace::Top => {
                write(&mut self.out, &meta)?;
                self.out.extend_from_slice(br#","filter":"#);
                write(&mut self.out, &filter)?;
            }
            FilterPlace::Meta => write(&mut self.out, &FilteredMeta { meta, filter })?,
            FilterPlace::Absent => write(&mut self.out, &meta)?,
        }
        self.out.push(b'}');
        Ok(())
    }

    /// The number of bytes that were not taken yet.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes the bytes written so far.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// The bytes that were not taken yet.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }
}

fn write(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), StoreError> {
    serde_json::to_writer(out, value)
        .map_err(|cause| StoreError::Internal(format!("a list cannot be written: {cause}")))
}

/// The page and the number of all items.
#[derive(Serialize, ToSchema)]
pub(crate) struct Meta {
    offset: u64,
    limit: u32,
    /// The number of all records that match, regardless of limit and offset.
    count: u64,
    /// The requested sorts; id,asc when none was requested.
    sort: Vec<SortRecord>,
}

/// The page, the number of all items, and the filters.
#[derive(Serialize, ToSchema)]
#[schema(as = LocationMeta)]
pub(crate) struct FilteredMeta<'a> {
    #[serde(flatten)]
    meta: Meta,
    /// The filters that were applied, in the order of the query string.
    filter: Vec<AppliedFilter<'a>>,
}

/// A property and the direction by which items are sorted.
#[derive(Serialize, ToSchema)]
#[schema(as = Sort)]
struct SortRecord {
    property: &'static str,
    direction: SortDirection,
}

/// Ascending or descending.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum SortDirection {
    Asc,
    Desc,
}

fn sorts(sorts: &[(&'static str, Direction)]) -> Vec<SortRecord> {
    let record = |(property, direction): &(&'static str, Direction)| {
        let direction = match direction {
            Direction::Ascending => SortDirection::Asc,
            Direction::Descending => SortDirection::Desc,
        };
        SortRecord { property, direction }
    };
    sorts.iter().map(record).collect()
}

/// A filter that was applied.
#[derive(Serialize, ToSchema)]
pub(crate) struct AppliedFilter<'a> {
    property: &'static str,
    /// As it was sent.
    value: &'a str,
}
