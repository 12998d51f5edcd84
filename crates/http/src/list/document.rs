//! The JSON document of a list, written as rows arrive.

use patrol_domain::{
    StoreError, Timestamp,
    list::{Direction, Page, Part, bytes_of},
};
use serde::{Serialize, Serializer, ser::SerializeSeq};

use super::{
    declaration::{Declared, FilterPlace},
    parse::Echo,
};

/// A list document under construction: `{"data":[…],"meta":{…},"filter":[…]}`, in this order, the
/// last member only if the list has it.
pub(crate) struct Document<L: Declared> {
    echo: Echo,
    now: Timestamp,
    /// Bytes that were written and not taken yet.
    out: Vec<u8>,
    begun: bool,
    list: std::marker::PhantomData<fn() -> L>,
}

/// Enough bytes for most items, so that the buffer of a page does not grow.
const ITEM: usize = 768;
/// Enough bytes for everything around the items.
const FRAME: usize = 512;

impl<L: Declared> Document<L> {
    /// An empty document with a buffer for its expected size, at most `capacity` bytes.
    pub(crate) fn new(echo: Echo, now: Timestamp, capacity: usize) -> Self {
        let items = usize::try_from(echo.page.limit).unwrap_or(usize::MAX);
        let mut out =
            Vec::with_capacity(items.saturating_mul(ITEM).saturating_add(FRAME).min(capacity));
        out.extend_from_slice(br#"{"data":["#);
        Self { echo, now, out, begun: false, list: std::marker::PhantomData }
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
                self.out.reserve(rows.len().saturating_mul(ITEM).max(bytes + bytes / 8));
                rows.iter().try_for_each(|row| self.row(row))
            }
            Part::Total(count) => self.tail(*count),
        }
    }

    fn row(&mut self, item: &L::Item) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.begun, true) {
            self.out.push(b',');
        }
        write(&mut self.out, &L::row(item, self.now))
    }

    fn tail(&mut self, count: u64) -> Result<(), StoreError> {
        let Page { limit, offset } = self.echo.page;
        let filters = Filters(&self.echo.filter);
        let (inside, beside) = match L::FILTER_PLACE {
            FilterPlace::Top => (None, Some(filters)),
            FilterPlace::Meta => (Some(filters), None),
            FilterPlace::Absent => (None, None),
        };
        let meta = Meta { offset, limit, count, sort: Sorts(&self.echo.sort), filter: inside };
        self.out.extend_from_slice(br#"],"meta":"#);
        write(&mut self.out, &meta)?;
        if let Some(filters) = beside {
            self.out.extend_from_slice(br#","filter":"#);
            write(&mut self.out, &filters)?;
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

    /// Takes all bytes; the document is not written further.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }
}

fn write(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), StoreError> {
    serde_json::to_writer(out, value)
        .map_err(|cause| StoreError::Internal(format!("a list cannot be written: {cause}")))
}

#[derive(Serialize)]
struct Meta<'a> {
    offset: u64,
    limit: u32,
    count: u64,
    sort: Sorts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<Filters<'a>>,
}

struct Sorts<'a>(&'a [(&'static str, Direction)]);

impl Serialize for Sorts<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Sort {
            property: &'static str,
            direction: &'static str,
        }
        let mut list = out.serialize_seq(Some(self.0.len()))?;
        for (property, direction) in self.0 {
            let direction = match direction {
                Direction::Ascending => "asc",
                Direction::Descending => "desc",
            };
            list.serialize_element(&Sort { property, direction })?;
        }
        list.end()
    }
}

struct Filters<'a>(&'a [(&'static str, String)]);

impl Serialize for Filters<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Filter<'a> {
            property: &'static str,
            value: &'a str,
        }
        let mut list = out.serialize_seq(Some(self.0.len()))?;
        for (property, value) in self.0 {
            list.serialize_element(&Filter { property, value })?;
        }
        list.end()
    }
}
