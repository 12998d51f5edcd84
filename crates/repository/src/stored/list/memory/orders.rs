//! The rows of a table in a requested order, in blocks. A changed row moves to the block of its new
//! place; a changed block is sorted again when a page needs it.

use std::{
    cmp::Ordering,
    ops::Bound,
    sync::{Arc, OnceLock},
};

use patrol_domain::list::Page;

use super::{
    members::{Bits, MembershipTest},
    order::{SortOrder, SortPosition, SortValue},
    reader::Reader,
    rows::Rows,
    snapshot::Snapshot,
    time_range::TimeRange,
    versioned_cache::CachedValue,
};

/// The number of rows of a new block.
const BLOCK: usize = 128;

/// A block with more rows is divided.
const MAX_ROWS: usize = 4 * BLOCK;

/// After this many blocks, other requests may continue.
const PAUSE: usize = 512;

/// All rows in an order.
pub(super) struct Blocks {
    /// In the order.
    blocks: Vec<Arc<Block>>,
    /// The greatest row. Later rows are new.
    newest: Option<u32>,
}

struct Block {
    /// No row of the block comes before this place, except in the first block of an order.
    first: SortPosition,
    rows: Vec<u32>,
    is_sorted: bool,
    /// The rows in order, set when a page needs them. Not used while `is_sorted`.
    sorted: OnceLock<Vec<u32>>,
}

/// Makes the blocks of an order.
pub(super) struct OrderBlocks(pub(super) SortOrder);

impl<R: Reader> CachedValue<R> for OrderBlocks {
    type Value = Blocks;

    async fn make(&self, snapshot: &mut Snapshot<R>) -> Result<Blocks, R::Error> {
        let mut builder = BlockBuilder::default();
        let each = &mut |row, position| builder.push(row, position);
        snapshot.reader().sort_positions(self.0, None, each).await?;
        Ok(builder.into_blocks())
    }

    async fn update(
        &self,
        snapshot: &mut Snapshot<R>,
        old: &Blocks,
        changed: &Rows,
    ) -> Result<Option<Blocks>, R::Error> {
        let (Some(_), Some(newest)) = (old.blocks.first(), old.newest) else { return Ok(None) };
        let mut blocks = old.blocks.clone();
        let positions = sort_positions(snapshot.reader(), self.0, changed).await?;
        let mut moved = changed.clone();
        for (row, position) in &positions {
            let at = self.block_of(&blocks, position);
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
        for (row, position) in &positions {
            let at = self.block_of(&blocks, position);
            if moved.contains(*row)
                && let Some(block) = blocks.get_mut(at)
            {
                let rows = block.rows.iter().copied().chain([*row]).collect();
                *block = block.with(rows);
            }
        }
        let mut divided = Vec::with_capacity(blocks.len());
        for block in blocks {
            if block.rows.len() > MAX_ROWS {
                divided.extend(self.divided(snapshot.reader(), &block).await?);
            } else if !block.rows.is_empty() {
                divided.push(block);
            }
        }
        Ok(Some(Blocks { blocks: divided, newest: changed.max().max(Some(newest)) }))
    }
}

impl OrderBlocks {
    /// The index of the block where this position is.
    fn block_of(&self, blocks: &[Arc<Block>], position: &SortPosition) -> usize {
        let is_until =
            |block: &Arc<Block>| self.0.compare(&block.first, position) != Ordering::Greater;
        blocks.partition_point(is_until).saturating_sub(1)
    }

    /// The smaller blocks of a large one.
    async fn divided<R: Reader>(
        &self,
        reader: &mut R,
        block: &Block,
    ) -> Result<Vec<Arc<Block>>, R::Error> {
        let mut builder = BlockBuilder::default();
        block
            .sort_positions(reader, self.0)
            .await?
            .into_iter()
            .for_each(|(row, position)| builder.push(row, position));
        Ok(builder.into_blocks().blocks)
    }
}

/// The places of these rows in the order.
async fn sort_positions<R: Reader>(
    reader: &mut R,
    sorted: SortOrder,
    rows: &Rows,
) -> Result<Vec<(u32, SortPosition)>, R::Error> {
    let mut positions = Vec::new();
    reader
        .sort_positions(sorted, Some(rows), &mut |row, position| positions.push((row, position)))
        .await?;
    Ok(positions)
}

/// Removes these rows from their blocks.
fn remove(blocks: &mut [Arc<Block>], gone: &Rows) {
    if gone.is_empty() {
        return;
    }
    let mut members = MembershipTest::new(gone);
    for block in blocks {
        if block.rows.iter().any(|row| members.has(*row)) {
            let rest = block.rows.iter().copied().filter(|row| !gone.contains(*row)).collect();
            *block = block.with(rest);
        }
    }
}

/// Divides rows that come in order.
#[derive(Default)]
struct BlockBuilder {
    blocks: Vec<Arc<Block>>,
    next: Option<(SortPosition, Vec<u32>)>,
    newest: Option<u32>,
}

impl BlockBuilder {
    fn push(&mut self, row: u32, position: SortPosition) {
        self.newest = self.newest.max(Some(row));
        match &mut self.next {
            Some((_, rows)) if rows.len() < BLOCK => rows.push(row),
            _ => {
                self.finish_block();
                let mut rows = Vec::with_capacity(BLOCK);
                rows.push(row);
                self.next = Some((position, rows));
            }
        }
    }

    fn finish_block(&mut self) {
        if let Some((first, rows)) = self.next.take() {
            let sorted = OnceLock::new();
            self.blocks.push(Arc::new(Block { first, rows, is_sorted: true, sorted }));
        }
    }

    fn into_blocks(mut self) -> Blocks {
        self.finish_block();
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
    async fn sort_positions<R: Reader>(
        &self,
        reader: &mut R,
        sorted: SortOrder,
    ) -> Result<Vec<(u32, SortPosition)>, R::Error> {
        let rows: Rows = self.rows.iter().collect();
        let mut positions = sort_positions(reader, sorted, &rows).await?;
        positions.sort_by(|(_, one), (_, other)| sorted.compare(one, other));
        Ok(positions)
    }

    /// The rows in order. Sorts them if that was not done since they changed.
    async fn sort<R: Reader>(&self, reader: &mut R, sorted: SortOrder) -> Result<&[u32], R::Error> {
        let positions = self.sort_positions(reader, sorted).await?;
        Ok(self.sorted.get_or_init(|| positions.into_iter().map(|(row, _)| row).collect()))
    }

    /// The memory in bytes, also after the rows were sorted.
    fn size(&self) -> usize {
        let text = match &self.first.value {
            SortValue::Text(text) => text.capacity(),
            SortValue::Id | SortValue::Time(_) => 0,
        };
        let lists = if self.is_sorted { 1 } else { 2 };
        let rows = self.rows.capacity().saturating_mul(lists * size_of::<u32>());
        size_of::<Self>().saturating_add(text).saturating_add(rows)
    }

    const fn time(&self) -> Option<i64> {
        match self.first.value {
            SortValue::Time(time) => Some(time),
            SortValue::Id | SortValue::Text(_) => None,
        }
    }
}

impl Blocks {
    /// The memory in bytes. The versions of an order share blocks; each counts a part of a shared block.
    pub(super) fn size(&self) -> usize {
        let block = |block: &Arc<Block>| {
            size_of::<Arc<Block>>().saturating_add(block.size() / Arc::strong_count(block))
        };
        self.blocks.iter().map(block).sum()
    }

    /// The matches of the page, in order.
    pub(super) async fn page<R: Reader>(
        &self,
        reader: &mut R,
        sorted: SortOrder,
        matches: &Rows,
        page: Page,
    ) -> Result<Vec<u32>, R::Error> {
        let wanted = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let (mut to_skip, mut found) = (page.offset, Vec::new());
        let mut members = MembershipTest::new(matches);
        for (number, block) in self.blocks.iter().enumerate() {
            if number % PAUSE == PAUSE - 1 {
                reader.pause(None).await?;
            }
            let rows = match block.in_order() {
                Some(rows) => rows,
                None => {
                    let some = block.rows.iter().filter(|row| members.has(**row)).count();
                    let some = u64::try_from(some).unwrap_or(u64::MAX);
                    if some <= to_skip {
                        to_skip -= some;
                        continue;
                    }
                    block.sort(reader, sorted).await?
                }
            };
            for row in rows {
                if !members.has(*row) {
                    continue;
                }
                if to_skip > 0 {
                    to_skip -= 1;
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

    /// The rows of the blocks whose times are all within `times`, and the rows of the blocks at its
    /// ends, which have to be tested. The order MUST be by time, ascending.
    pub(super) fn within(&self, times: &TimeRange) -> (Rows, Rows) {
        let (mut inside, mut border) = (Bits::of(self.newest), Rows::new());
        let ends = self.blocks.iter().skip(1).map(|next| next.time()).chain([None]);
        for (number, (block, until)) in self.blocks.iter().zip(ends).enumerate() {
            let from = block.time().filter(|_| number > 0);
            if times.excludes(from, until) {
                continue;
            }
            if times.includes(from, until) {
                block.rows.iter().for_each(|row| inside.insert(*row));
            } else {
                border.extend(&block.rows);
            }
        }
        (inside.into_rows(), border)
    }
}
