//! The JSON document of a list, written as rows arrive.

use patrol_domain::{
    StoreError,
    list::{Direction, Page, Part, bytes_of},
};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::{
    declaration::{FilterPlace, ListDeclaration, RowContext},
    parse::Echo,
};

/// A list document under construction: `{"data":[…],"meta":{…},"filter":[…]}`, in this order, the
/// last member only if the list has it.
pub(crate) struct Document<L: ListDeclaration> {
    echo: Echo,
    context: RowContext,
    /// The bytes that were written and not taken yet.
    out: Vec<u8>,
    begun: bool,
    list: std::marker::PhantomData<fn() -> L>,
}

/// Enough bytes for most items, so that the buffer of a page does not grow.
const ITEM_BYTES: usize = 768;
/// Enough bytes for everything around the items.
const FRAME_BYTES: usize = 512;

impl<L: ListDeclaration> Document<L> {
    /// An empty document with a buffer for its expected size, at most `capacity` bytes.
    pub(crate) fn new(echo: Echo, context: RowContext, capacity: usize) -> Self {
        let items = usize::try_from(echo.page.limit).unwrap_or(usize::MAX);
        let mut out = Vec::with_capacity(
            items.saturating_mul(ITEM_BYTES).saturating_add(FRAME_BYTES).min(capacity),
        );
        out.extend_from_slice(br#"{"data":["#);
        Self { echo, context, out, begun: false, list: std::marker::PhantomData }
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
                rows.iter().try_for_each(|row| self.row(row))
            }
            Part::Total(count) => self.tail(*count),
        }
    }

    fn row(&mut self, item: &L::Item) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.begun, true) {
            self.out.push(b',');
        }
        write(&mut self.out, &L::row(item, self.context))
    }

    fn tail(&mut self, count: u64) -> Result<(), StoreError> {
        let Page { limit, offset } = self.echo.page;
        let meta = Meta { offset, limit, count, sort: Sorts(&self.echo.sort) };
        let filter = Filters(&self.echo.filter);
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
pub(crate) struct Meta<'a> {
    offset: u64,
    limit: u32,
    /// The number of all records that match, regardless of limit and offset.
    count: u64,
    /// The requested sorts; id,asc when none was requested.
    #[schema(value_type = Vec<SortRecord>)]
    sort: Sorts<'a>,
}

/// The page, the number of all items, and the filters.
#[derive(Serialize, ToSchema)]
#[schema(as = LocationMeta)]
pub(crate) struct FilteredMeta<'a> {
    #[serde(flatten)]
    meta: Meta<'a>,
    /// The filters that were applied, in the order of the query string.
    #[schema(value_type = Vec<AppliedFilter<'a>>)]
    filter: Filters<'a>,
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

struct Sorts<'a>(&'a [(&'static str, Direction)]);

impl Serialize for Sorts<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(|(property, direction)| {
            let direction = match direction {
                Direction::Ascending => SortDirection::Asc,
                Direction::Descending => SortDirection::Desc,
            };
            SortRecord { property, direction }
        }))
    }
}

/// A filter that was applied.
#[derive(Serialize, ToSchema)]
pub(crate) struct AppliedFilter<'a> {
    property: &'static str,
    /// As it was sent.
    value: &'a str,
}

struct Filters<'a>(&'a [(&'static str, String)]);

impl Serialize for Filters<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(|(property, value)| AppliedFilter { property, value }))
    }
}
