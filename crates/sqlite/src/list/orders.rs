//! Tells where in an index the matches of a filter are, so that a page does not read what is before
//! and between them.
//!
//! An index is divided into blocks of about a thousand entries, and the rows of each block are kept
//! in memory: about 4 MB for a million rows. Like the sets of [`Matches`](super::Matches), blocks
//! are kept up to date by the log of changes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use diesel::{QueryResult, SqliteConnection};
use patrol_domain::{
    StoreError,
    list::{Comparison, Direction, Page},
};

use super::{
    ListTable,
    matches::{Moment, Snapshot},
    rows::{Rows, is_in},
    running::Running,
    sorted::{Key, Range, Sorted},
};
use crate::engine::Abort;

/// The number of entries of a new block. It has more when they have the same key.
const BLOCK: u64 = 1_024;

/// A block with more rows is divided.
const MOST_ROWS: u64 = 8 * BLOCK;

/// The blocks of all indexes that were needed.
#[derive(Clone, Default)]
pub(crate) struct Orders {
    known: Arc<Mutex<HashMap<Index, Arc<Blocks>>>>,
    running: Arc<Running<(Index, i64)>>,
}

/// A table and a column.
type Index = (&'static str, &'static str);

/// The blocks of an index, and the state of the data that they are valid for.
pub(super) struct Blocks {
    at: Moment,
    /// Ascending. The first block also has rows with smaller keys than its first one.
    blocks: Vec<Block>,
}

#[derive(Clone)]
struct Block {
    first: Key,
    rows: Arc<Rows>,
}

/// Where the matches of a page are.
pub(super) struct Places<'a> {
    /// The number of matches before the ranges.
    pub(super) skipped: u64,
    /// The number of entries in the ranges.
    pub(super) entries: u64,
    /// Ranges of keys with all matches of the page, in the requested order.
    pub(super) ranges: Vec<Range<'a>>,
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
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        if matches!(comparison, Greater | GreaterOrEqual | Equal) {
            self.first = self.first.max(Some(time));
        }
        if matches!(comparison, Less | LessOrEqual | Equal) {
            self.last = Some(self.last.map_or(time, |last| last.min(time)));
        }
    }

    /// Whether a key in the range may be one of these times. Ids and texts always may.
    fn meet(&self, (from, until): Range<'_>) -> bool {
        let is_over = |last: i64| matches!(from, Some(Key::Time(from)) if *from > last);
        let is_before = |first: i64| matches!(until, Some(Key::Time(until)) if *until <= first);
        !self.last.is_some_and(is_over) && !self.first.is_some_and(is_before)
    }
}

impl Orders {
    /// The blocks of the index, in the state that `snapshot` sees.
    pub(super) fn blocks<L: ListTable>(
        &self,
        snapshot: &mut Snapshot<'_>,
        sorted: Sorted,
    ) -> Result<Arc<Blocks>, Abort<StoreError>> {
        let index = (L::FROM, sorted.key);
        loop {
            let known = self.known().get(&index).cloned();
            if let Some(blocks) = known.as_ref().filter(|known| snapshot.sees(known.at)) {
                if snapshot.is_long_after(blocks.at) {
                    let blocks = Blocks { at: snapshot.now, blocks: blocks.blocks.clone() };
                    self.known().insert(index, Arc::new(blocks));
                }
                return Ok(Arc::clone(blocks));
            }
            // Lists that see another state do not wait.
            let question = (index, snapshot.now.changes);
            let Some(_turn) = self.running.begin(&question)? else { continue };
            let is_older = known.as_ref().is_none_or(|known| snapshot.is_after(known.at));
            let renewed = match known {
                Some(known) if is_older => known.renewed::<L>(snapshot, sorted)?,
                _ => None,
            };
            let blocks = match renewed {
                Some(blocks) => blocks,
                None => divide::<L>(snapshot.connection, sorted, (None, None))?,
            };
            let blocks = Arc::new(Blocks { at: snapshot.now, blocks });
            if is_older {
                self.known().insert(index, Arc::clone(&blocks));
            }
            return Ok(blocks);
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Index, Arc<Blocks>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blocks {
    /// The blocks in the present state; `None` when too much has changed.
    fn renewed<L: ListTable>(
        &self,
        snapshot: &mut Snapshot<'_>,
        sorted: Sorted,
    ) -> Result<Option<Vec<Block>>, Abort<StoreError>> {
        let Some(changed) = snapshot.changed_since::<L>(self.at)? else { return Ok(None) };
        let mut blocks = self.blocks.clone();
        for block in &mut blocks {
            if !block.rows.is_disjoint(&changed) {
                *Arc::make_mut(&mut block.rows) -= &*changed;
            }
        }
        let select = sorted.select_keys::<L>(&is_in::<L>(&changed));
        for entry in sorted.keys(snapshot.connection, select)? {
            let (row, key) = entry?;
            let at = blocks.partition_point(|block| block.first <= key).saturating_sub(1);
            let Some(block) = blocks.get_mut(at) else { return Ok(None) };
            Arc::make_mut(&mut block.rows).insert(row);
        }
        let mut at = 0;
        while let Some(block) = blocks.get(at) {
            let mut next = at + 1;
            if block.rows.len() > MOST_ROWS {
                let divided = divide::<L>(snapshot.connection, sorted, range(&blocks, at, at))?;
                next = at + divided.len().max(1);
                blocks.splice(at..=at, divided);
            }
            at = next;
        }
        Ok(Some(blocks))
    }

    /// Where the matches of the page are. All matches are within `times`.
    pub(super) fn places(
        &self,
        direction: Direction,
        times: &Times,
        matches: &Rows,
        page: Page,
    ) -> Places<'_> {
        let wanted = page.offset.saturating_add(page.limit.into());
        let mut found = 0_u64;
        let mut places = Places { skipped: 0, entries: 0, ranges: Vec::new() };
        let mut numbers: Vec<usize> = (0..self.blocks.len()).collect();
        if direction == Direction::Descending {
            numbers.reverse();
        }
        // Neighbours are read together.
        let mut run: Option<(usize, usize)> = None;
        for at in numbers {
            let Some(block) = self.blocks.get(at) else { break };
            if !times.meet(range(&self.blocks, at, at)) {
                continue;
            }
            let some = block.rows.intersection_len(matches);
            found = found.saturating_add(some);
            if found <= page.offset {
                places.skipped = found;
            } else if some > 0 {
                places.entries = places.entries.saturating_add(block.rows.len());
                run = match run {
                    Some((low, high)) if at == high + 1 => Some((low, at)),
                    Some((low, high)) if at + 1 == low => Some((at, high)),
                    run => {
                        places.ranges.extend(run.map(|(low, high)| range(&self.blocks, low, high)));
                        Some((at, at))
                    }
                };
            }
            if found >= wanted {
                break;
            }
        }
        places.ranges.extend(run.map(|(low, high)| range(&self.blocks, low, high)));
        places
    }
}

/// The keys of the blocks from `low` to `high`.
fn range(blocks: &[Block], low: usize, high: usize) -> Range<'_> {
    let first = |at: usize| blocks.get(at).map(|block| &block.first);
    (if low == 0 { None } else { first(low) }, first(high + 1))
}

/// Divides this range of the index into blocks. Rows with the same key are in the same block.
fn divide<L: ListTable>(
    connection: &mut SqliteConnection,
    sorted: Sorted,
    range: Range<'_>,
) -> QueryResult<Vec<Block>> {
    let select = sorted.select_keys::<L>(&sorted.within(range));
    let mut blocks = Vec::new();
    let mut rows = Rows::new();
    let mut first = range.0.cloned();
    let mut last = None;
    for entry in sorted.keys(connection, select)? {
        let (row, key) = entry?;
        if rows.len() >= BLOCK && last.as_ref() != Some(&key) {
            let rows = Arc::new(std::mem::take(&mut rows));
            blocks.extend(first.replace(key.clone()).map(|first| Block { first, rows }));
        }
        rows.insert(row);
        first.get_or_insert_with(|| key.clone());
        last = Some(key);
    }
    blocks.extend(first.map(|first| Block { first, rows: Arc::new(rows) }));
    Ok(blocks)
}
