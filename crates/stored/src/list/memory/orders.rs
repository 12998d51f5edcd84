//! The rows of a table in a requested order, in blocks. A changed row goes to its block, which is
//! sorted again when it is needed.

use std::{
    cmp::Ordering,
    ops::Bound,
    sync::{Arc, OnceLock},
};

use patrol_domain::list::{Comparison, Direction, Page, Query};

use super::{
    ListTable, Reader, Rows, Snapshot,
    kept::Made,
    members::{Bits, Members},
};
use crate::list::{self, Text};

/// The number of rows of a new block.
const BLOCK: usize = 128;

/// A block with more rows is divided.
const MOST_ROWS: usize = 4 * BLOCK;

/// After so many blocks, other requests continue.
const PAUSE: usize = 512;

/// An order that is kept in memory: by a column that is never null, then by id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sorted {
    /// The column.
    pub key: Text,
    /// What the column contains.
    pub order: list::Order,
    /// Rows with the same value are always sorted by id, ascending.
    pub direction: Direction,
}

/// Where a row is in an order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The value of the column.
    pub key: Key,
    /// The bytes of the id.
    pub id: [u8; 16],
}

/// A value of a column. Values compare as in the store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    /// The column is the id.
    Id,
    /// A text, compared byte by byte.
    Text(String),
    /// A time, in milliseconds since 1970.
    Time(i64),
}

/// All rows in an order.
pub(super) struct Blocks {
    /// In the order.
    blocks: Vec<Arc<Block>>,
    /// The greatest row. Later rows are new.
    newest: Option<u32>,
}

struct Block {
    /// Not after its first row, except that the first block also has earlier rows.
    first: Place,
    rows: Vec<u32>,
    is_sorted: bool,
    /// The rows in order, when a page has needed them.
    sorted: OnceLock<Vec<u32>>,
}

/// A range of times in milliseconds, both included; without a bound where it is `None`.
#[derive(Default)]
pub(super) struct Times {
    first: Option<i64>,
    last: Option<i64>,
}

impl Times {
    /// Excludes the times that the comparison with `time` excludes.
    pub(super) fn narrow(&mut self, comparison: Comparison, time: i64) {
        let (first, last) = match comparison {
            Comparison::Equal => (Some(time), Some(time)),
            Comparison::Greater => (Some(time.saturating_add(1)), None),
            Comparison::GreaterOrEqual => (Some(time), None),
            Comparison::Less => (None, Some(time.saturating_sub(1))),
            Comparison::LessOrEqual => (None, Some(time)),
            // A condition of its own, which excludes rows.
            Comparison::NotEqual => (None, None),
        };
        self.first = self.first.max(first);
        self.last = [self.last, last].into_iter().flatten().min();
    }
}

impl Sorted {
    /// The order of the query; `None` when it is not kept in memory.
    pub(super) fn of<L: ListTable>(query: &Query<L>) -> Option<Self> {
        match &query.sort[..] {
            [] => Some(Self::BY_ID),
            [one] => {
                let key = L::sort(one.property);
                Some(Self { key: key.sql, order: key.order?, direction: one.direction })
            }
            _ => None,
        }
    }

    /// The order of a list without a sort.
    pub const BY_ID: Self =
        Self { key: Text::same("id"), order: list::Order::Ids, direction: Direction::Ascending };

    /// The order by a column of times, ascending.
    pub(super) const fn by_time(column: &'static str) -> Self {
        let (key, order) = (Text::same(column), list::Order::Times);
        Self { key, order, direction: Direction::Ascending }
    }

    pub(super) fn compare(self, one: &Place, other: &Place) -> Ordering {
        let by_key = one.key.cmp(&other.key);
        let by_id = one.id.cmp(&other.id);
        match (self.order, self.direction) {
            (list::Order::Ids, Direction::Ascending) => by_id,
            (list::Order::Ids, Direction::Descending) => by_id.reverse(),
            (_, Direction::Ascending) => by_key.then(by_id),
            (_, Direction::Descending) => by_key.reverse().then(by_id),
        }
    }
}

/// Makes the blocks of an order.
pub(super) struct Order(pub(super) Sorted);

impl<L: ListTable, R: Reader<L>> Made<L, R> for Order {
    type Value = Blocks;

    async fn make(&self, snapshot: &mut Snapshot<'_, L, R>) -> Result<Blocks, R::Error> {
        let mut dividing = Dividing::default();
        let each = &mut |row, place| dividing.push(row, place);
        snapshot.reader().places(self.0, None, each).await?;
        Ok(dividing.into_blocks())
    }

    async fn renew(
        &self,
        snapshot: &mut Snapshot<'_, L, R>,
        old: &Blocks,
        changed: &Rows,
    ) -> Result<Option<Blocks>, R::Error> {
        let (Some(_), Some(newest)) = (old.blocks.first(), old.newest) else { return Ok(None) };
        let mut blocks = old.blocks.clone();
        let places = places(snapshot.reader(), self.0, changed).await?;
        let mut moved = changed.clone();
        for (row, place) in &places {
            let at = self.block_of(&blocks, place);
            if let Some(block) = blocks.get_mut(at)
                && block.rows.contains(row)
            {
                *block = block.with(block.rows.clone());
                moved.remove(*row);
            }
        }
        let mut gone = moved.clone();
        gone.remove_range((Bound::Excluded(newest), Bound::Unbounded));
        remove(&mut blocks, &gone);
        for (row, place) in &places {
            let at = self.block_of(&blocks, place);
            if moved.contains(*row)
                && let Some(block) = blocks.get_mut(at)
            {
                let rows = block.rows.iter().copied().chain([*row]).collect();
                *block = block.with(rows);
            }
        }
        let mut divided = Vec::with_capacity(blocks.len());
        for block in blocks {
            if block.rows.len() > MOST_ROWS {
                divided.extend(self.divided(snapshot.reader(), &block).await?);
            } else if !block.rows.is_empty() {
                divided.push(block);
            }
        }
        Ok(Some(Blocks { blocks: divided, newest: changed.max().max(Some(newest)) }))
    }
}

impl Order {
    /// The number of the block where this place is.
    fn block_of(&self, blocks: &[Arc<Block>], place: &Place) -> usize {
        let is_until =
            |block: &Arc<Block>| self.0.compare(&block.first, place) != Ordering::Greater;
        blocks.partition_point(is_until).saturating_sub(1)
    }

    /// The smaller blocks of a large one.
    async fn divided<L: ListTable, R: Reader<L>>(
        &self,
        reader: &mut R,
        block: &Block,
    ) -> Result<Vec<Arc<Block>>, R::Error> {
        let mut dividing = Dividing::default();
        block
            .places(reader, self.0)
            .await?
            .into_iter()
            .for_each(|(row, place)| dividing.push(row, place));
        Ok(dividing.into_blocks().blocks)
    }
}

/// The places of these rows.
async fn places<L: ListTable, R: Reader<L>>(
    reader: &mut R,
    sorted: Sorted,
    rows: &Rows,
) -> Result<Vec<(u32, Place)>, R::Error> {
    let mut places = Vec::new();
    reader.places(sorted, Some(rows), &mut |row, place| places.push((row, place))).await?;
    Ok(places)
}

/// Removes these rows from their blocks.
fn remove(blocks: &mut [Arc<Block>], gone: &Rows) {
    if gone.is_empty() {
        return;
    }
    let mut members = Members::new(gone);
    for block in blocks {
        if block.rows.iter().any(|row| members.has(*row)) {
            let rest = block.rows.iter().copied().filter(|row| !gone.contains(*row)).collect();
            *block = block.with(rest);
        }
    }
}

/// Divides rows that come in order.
#[derive(Default)]
struct Dividing {
    blocks: Vec<Arc<Block>>,
    next: Option<(Place, Vec<u32>)>,
    newest: Option<u32>,
}

impl Dividing {
    fn push(&mut self, row: u32, place: Place) {
        self.newest = self.newest.max(Some(row));
        match &mut self.next {
            Some((_, rows)) if rows.len() < BLOCK => rows.push(row),
            _ => {
                self.end();
                let mut rows = Vec::with_capacity(BLOCK);
                rows.push(row);
                self.next = Some((place, rows));
            }
        }
    }

    fn end(&mut self) {
        if let Some((first, rows)) = self.next.take() {
            let sorted = OnceLock::new();
            self.blocks.push(Arc::new(Block { first, rows, is_sorted: true, sorted }));
        }
    }

    fn into_blocks(mut self) -> Blocks {
        self.end();
        Blocks { blocks: self.blocks, newest: self.newest }
    }
}

impl Block {
    /// The block with other rows, in any order.
    fn with(&self, rows: Vec<u32>) -> Arc<Self> {
        let first = self.first.clone();
        Arc::new(Self { first, rows, is_sorted: false, sorted: OnceLock::new() })
    }

    /// The rows in order, if they are sorted.
    fn in_order(&self) -> Option<&[u32]> {
        match self.is_sorted {
            true => Some(&self.rows),
            false => self.sorted.get().map(Vec::as_slice),
        }
    }

    /// The rows with their places, in order.
    async fn places<L: ListTable, R: Reader<L>>(
        &self,
        reader: &mut R,
        sorted: Sorted,
    ) -> Result<Vec<(u32, Place)>, R::Error> {
        let rows: Rows = self.rows.iter().collect();
        let mut places = places(reader, sorted, &rows).await?;
        places.sort_by(|(_, one), (_, other)| sorted.compare(one, other));
        Ok(places)
    }

    /// The rows in order. Sorts them if that was not done since they changed.
    async fn sort<L: ListTable, R: Reader<L>>(
        &self,
        reader: &mut R,
        sorted: Sorted,
    ) -> Result<&[u32], R::Error> {
        let places = self.places(reader, sorted).await?;
        Ok(self.sorted.get_or_init(|| places.into_iter().map(|(row, _)| row).collect()))
    }

    const fn time(&self) -> Option<i64> {
        match self.first.key {
            Key::Time(time) => Some(time),
            Key::Id | Key::Text(_) => None,
        }
    }
}

impl Blocks {
    /// The matches of the page, in order.
    pub(super) async fn page<L: ListTable, R: Reader<L>>(
        &self,
        reader: &mut R,
        sorted: Sorted,
        matches: &Rows,
        page: Page,
    ) -> Result<Vec<u32>, R::Error> {
        let wanted = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let (mut left_out, mut found) = (page.offset, Vec::new());
        let mut members = Members::new(matches);
        for (number, block) in self.blocks.iter().enumerate() {
            if number % PAUSE == PAUSE - 1 {
                reader.pause().await?;
            }
            let rows = match block.in_order() {
                Some(rows) => rows,
                None => {
                    let some = block.rows.iter().filter(|row| members.has(**row)).count();
                    let some = u64::try_from(some).unwrap_or(u64::MAX);
                    if some <= left_out {
                        left_out -= some;
                        continue;
                    }
                    block.sort(reader, sorted).await?
                }
            };
            for row in rows {
                if !members.has(*row) {
                    continue;
                }
                if left_out > 0 {
                    left_out -= 1;
                    continue;
                }
                found.push(*row);
                if found.len() == wanted {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    /// The rows of the blocks that are within `times`, and those of the blocks at the border, which
    /// have to be tested. The order MUST be by time, ascending.
    pub(super) fn within(&self, times: &Times) -> (Rows, Rows) {
        let (mut inside, mut border) = (Bits::of(self.newest), Rows::new());
        let ends = self.blocks.iter().skip(1).map(|next| next.time()).chain([None]);
        for (number, (block, until)) in self.blocks.iter().zip(ends).enumerate() {
            let from = block.time().filter(|_| number > 0);
            if times.exclude(from, until) {
                continue;
            }
            if times.include(from, until) {
                block.rows.iter().for_each(|row| inside.insert(*row));
            } else {
                border.extend(&block.rows);
            }
        }
        (inside.into_rows(), border)
    }
}

impl Times {
    /// Whether no time of the period is in the range.
    fn exclude(&self, from: Option<i64>, until: Option<i64>) -> bool {
        self.last.zip(from).is_some_and(|(last, from)| from > last)
            || self.first.zip(until).is_some_and(|(first, until)| until < first)
    }

    /// Whether every time of the period is in the range.
    fn include(&self, from: Option<i64>, until: Option<i64>) -> bool {
        self.first.is_none_or(|first| from.is_some_and(|from| from >= first))
            && self.last.is_none_or(|last| until.is_some_and(|until| until <= last))
    }
}
