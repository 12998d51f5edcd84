//! Finds the rows of a page among the rows that meet the filter.
//!
//! An index is read in the requested order until the page is full. When matches are rare at the
//! beginning of the order, few of them are read and sorted; for many, [`Orders`] tells where in the
//! index they are.

use diesel::QueryResult;
use patrol_domain::{
    StoreError,
    list::{Condition, Page, Query, Test},
};
use patrol_stored::list::Column;

use super::{
    ListTable, Orders,
    condition::{is_one_of, plain},
    matches::Snapshot,
    orders::Times,
    part::{Part, parts},
    rows::Rows,
    sorted::Sorted,
    statement::{Bind, Sql},
};
use crate::engine::Abort;

/// Up to this many rows are read and sorted, when the page does not fill soon.
const FEW: u64 = 2_000;

/// The same for an order without an index. More are left to SQLite.
const MOST_SORTED: u64 = 50_000;

/// An index is tried when its page probably fills within this many entries.
const EXPECTED_ENTRIES: u64 = 1_000;

/// The most entries of an index that are tried. They take half a millisecond.
const MOST_TRIED: usize = 4_000;

/// How many entries of an index are read in the time in which one row is read and sorted.
const ENTRIES_PER_ROW: u64 = 8;

/// Rows that include those of a page.
pub(super) struct Candidates {
    pub(super) rows: Rows,
    /// The page, among these rows.
    pub(super) page: Page,
}

/// The rows of the page, and perhaps some more; `None` when too many rows would have to be sorted.
/// `matches` are the rows that meet the filter.
pub(super) fn candidates<L: ListTable>(
    snapshot: &mut Snapshot<'_>,
    orders: &Orders,
    query: &Query<L>,
    matches: &Rows,
) -> Result<Option<Candidates>, Abort<StoreError>> {
    let all = || Candidates { rows: matches.clone(), page: query.page };
    let Some(sorted) = Sorted::of(query) else {
        return Ok((matches.len() <= MOST_SORTED).then(all));
    };
    let start = Start::of(snapshot, sorted, query)?;
    let mut reading = Reading::new(matches, query.page, 0);
    if start.rows.saturating_mul(reading.wanted) / matches.len().max(1) <= EXPECTED_ENTRIES {
        let entries = sorted.entries(snapshot.connection, sorted.select::<L>(&start.filter))?;
        if reading.read(entries.take(MOST_TRIED))? < MOST_TRIED {
            return Ok(Some(reading.into_candidates()));
        }
    }
    if matches.len() <= FEW {
        return Ok(Some(all()));
    }
    let blocks = orders.blocks::<L>(snapshot, sorted)?;
    let places = blocks.places(sorted.direction, &start.times, matches, query.page);
    let sorting = matches.len().saturating_mul(ENTRIES_PER_ROW);
    if matches.len() <= MOST_SORTED && sorting < places.entries {
        return Ok(Some(all()));
    }
    let mut reading = Reading::new(matches, query.page, places.skipped);
    for range in places.ranges {
        let filter = sorted.within(range);
        reading.read(sorted.entries(snapshot.connection, sorted.select::<L>(&filter))?)?;
    }
    let found = reading.into_candidates();
    Ok((found.rows.len() <= MOST_SORTED).then_some(found))
}

/// The part of the index that the first attempt reads.
struct Start {
    /// A condition that the index finds; empty for all entries.
    filter: Sql,
    /// About the number of its rows.
    rows: u64,
    /// The times that the condition requires, if the order is by time.
    times: Times,
}

impl Start {
    /// The smallest part that holds all matches and that SQLite reads in the requested order: the
    /// rows with one value, or within times.
    fn of<L: ListTable>(
        snapshot: &mut Snapshot<'_>,
        sorted: Sorted,
        query: &Query<L>,
    ) -> Result<Self, Abort<StoreError>> {
        let rows = snapshot.newest_row::<L>()?;
        let mut start = Self { filter: Sql::default(), rows, times: Times::default() };
        let mut bounds = Vec::new();
        for part in parts(&query.condition) {
            match part {
                Part::Met(Condition::All(times)) => {
                    let is_key = |condition: &_| match condition {
                        Condition::Is(filter, _) => {
                            matches!(L::column(*filter), Column::Plain(key) if key == sorted.key)
                        }
                        _ => false,
                    };
                    bounds.extend(times.into_iter().filter(is_key));
                }
                Part::Met(Condition::Is(filter, test)) => {
                    let Some(rows) =
                        snapshot.known_total::<L>(&Condition::Is(filter, test.clone()))
                    else {
                        continue;
                    };
                    if let Some(one) = one_value::<L>(sorted, filter, &test)
                        && rows < start.rows
                    {
                        start = Self { filter: one, rows, ..start };
                    }
                }
                _ => {}
            }
        }
        for condition in &bounds {
            if let Condition::Is(_, Test::Time(comparison, time)) = condition {
                start.times.narrow(*comparison, time.millis());
            }
        }
        if !bounds.is_empty() {
            start.filter.and(&plain::<L>(&Condition::All(bounds)));
        }
        Ok(start)
    }
}

/// The condition as SQL, if an index has the rows that meet it in the requested order.
pub(super) fn one_value<L: ListTable>(
    sorted: Sorted,
    filter: L::Filter,
    test: &Test,
) -> Option<Sql> {
    let Column::Few { column, then } = L::column(filter) else { return None };
    let values = Bind::any_of(test)?;
    if values.len() != 1 || !then.contains(&sorted.key) {
        return None;
    }
    let mut sql = Sql::default();
    sql.text(column);
    is_one_of(&mut sql, &values);
    Some(sql)
}

/// Collects the matches of a page from entries in the requested order.
struct Reading<'a> {
    matches: &'a Rows,
    page: Page,
    /// The number of matches up to the end of the page.
    wanted: u64,
    /// The number of matches that were left out, because the page begins later.
    skipped: u64,
    rows: Vec<u64>,
    /// Matches with the same key, which are in any order.
    group: Vec<u64>,
    key: Option<i64>,
}

impl<'a> Reading<'a> {
    fn new(matches: &'a Rows, page: Page, skipped: u64) -> Self {
        let wanted = page.offset.saturating_add(page.limit.into()).min(matches.len());
        let (rows, group) = (Vec::new(), Vec::new());
        Self { matches, page, wanted, skipped, rows, group, key: None }
    }

    /// Reads entries until the page is full; returns their number.
    fn read(
        &mut self,
        entries: impl Iterator<Item = QueryResult<(u64, Option<i64>)>>,
    ) -> QueryResult<usize> {
        let mut read = 0;
        for entry in entries {
            let (row, key) = entry?;
            read += 1;
            if !self.matches.contains(row) {
                continue;
            }
            if key.is_none() || key != self.key {
                self.key = key;
                self.end_group();
                if self.found() >= self.wanted {
                    break;
                }
            }
            self.group.push(row);
        }
        Ok(read)
    }

    /// Keeps the group, unless the page begins later.
    fn end_group(&mut self) {
        if self.found() <= self.page.offset {
            self.skipped = self.found();
            self.group.clear();
        }
        self.rows.append(&mut self.group);
    }

    fn found(&self) -> u64 {
        let kept = self.rows.len().saturating_add(self.group.len());
        self.skipped.saturating_add(u64::try_from(kept).unwrap_or(u64::MAX))
    }

    fn into_candidates(mut self) -> Candidates {
        self.end_group();
        let offset = self.page.offset.saturating_sub(self.skipped);
        Candidates { rows: self.rows.into_iter().collect(), page: Page { offset, ..self.page } }
    }
}
