//! The rows that meet a query.

use std::{
    future::Future,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    pin::Pin,
    sync::Arc,
};

use patrol_domain::list::{Condition, Test};

use super::{
    caches::Memory,
    order::SortOrder,
    orders::{Blocks, OrderBlocks},
    part::{Part, parts},
    reader::Reader,
    rows::Rows,
    snapshot::Snapshot,
    time_range::TimeRange,
    versioned_cache::CachedValue,
};
use crate::stored::list::{Column, Table, TableQuery};

/// Up to this many rows, a condition is tested row by row when it is requested for the first time. Many
/// are never requested again, for example those with the present time.
const MAX_TESTED: u64 = 1_000;

/// Finds the rows of one request in the memory, and what is missing there in the data.
pub(super) struct Lookup<'a, R: Reader> {
    memory: &'a Memory<R::Test, R::State>,
    snapshot: Snapshot<R>,
    table: &'static Table,
}

/// The set of a condition.
struct Set<'a, R: Reader> {
    memory: &'a Memory<R::Test, R::State>,
    table: &'static Table,
    condition: &'a Condition<Column>,
    search: Option<&'a str>,
    /// The column, if the condition compares its times.
    times: Option<&'static str>,
    test: R::Test,
}

type Matches<'a, E> = Pin<Box<dyn Future<Output = Result<Option<Arc<Rows>>, E>> + Send + 'a>>;

impl<'a, R: Reader> Lookup<'a, R> {
    pub(super) const fn new(
        memory: &'a Memory<R::Test, R::State>,
        reader: R,
        state: R::State,
        table: &'static Table,
    ) -> Self {
        Self { memory, snapshot: Snapshot::new(reader, state), table }
    }

    pub(super) const fn reader(&mut self) -> &mut R {
        self.snapshot.reader()
    }

    /// The key of the set of this part.
    fn key(&self, part: &Part<'_>) -> (&'static str, R::Test) {
        (self.table.from, part.test(|condition, search| self.snapshot.test(condition, search)))
    }

    /// The rows that the query selects, from all pages; `None` when they are not kept.
    pub(super) async fn matches(
        &mut self,
        query: &TableQuery,
    ) -> Result<Option<Arc<Rows>>, R::Error> {
        let mut parts = parts(&query.condition);
        parts.extend(query.search.as_deref().map(Part::Search));
        self.intersect(parts).await
    }

    /// All rows of the table in this order; `None` when they are not kept.
    pub(super) async fn blocks(
        &mut self,
        order: SortOrder,
    ) -> Result<Option<Arc<Blocks>>, R::Error> {
        blocks(self.memory, &mut self.snapshot, self.table, order).await
    }

    /// The rows that meet all of these.
    fn intersect<'p>(&'p mut self, mut parts: Vec<Part<'p>>) -> Matches<'p, R::Error> {
        Box::pin(async move {
            parts.sort_by_key(|part| (!self.is_known(part), part.cost()));
            let mut all: Option<Arc<Rows>> = None;
            for part in parts {
                let is_excluded = matches!(part, Part::Unmet(_));
                if all.as_ref().is_some_and(|rows| rows.is_empty()) {
                    break;
                }
                let tested = match &all {
                    Some(rows) => self.test_if_new(&part, rows).await?,
                    None => None,
                };
                let met = match tested {
                    Some(met) => Arc::new(met),
                    None => match self.rows_of(part).await? {
                        Some(met) => met,
                        None => return Ok(None),
                    },
                };
                if all.is_none() && is_excluded {
                    all = self.all_rows().await?;
                    if all.is_none() {
                        return Ok(None);
                    }
                }
                all = Some(match all {
                    None => met,
                    Some(rows) if is_excluded => Arc::new(&*rows - &*met),
                    Some(rows) => Arc::new(&*rows & &*met),
                });
            }
            match all {
                Some(all) => Ok(Some(all)),
                None => self.all_rows().await,
            }
        })
    }

    /// The rows that meet the condition of this part. Those of `Unmet` have to be excluded.
    async fn rows_of(&mut self, part: Part<'_>) -> Result<Option<Arc<Rows>>, R::Error> {
        match part {
            Part::Met(condition) | Part::Unmet(condition) => self.set(&condition, None, None).await,
            Part::Times(column, condition) => self.set(&condition, None, Some(column)).await,
            Part::Clock(column, condition) => {
                let Some(blocks) = self.blocks(SortOrder::by_time(column)).await? else {
                    return Ok(None);
                };
                let test = self.snapshot.test(&condition, None);
                let met = within(&blocks, &condition, &mut self.snapshot, &test).await?;
                Ok(Some(Arc::new(met)))
            }
            Part::Search(term) => self.set(&Condition::All(Vec::new()), Some(term), None).await,
            Part::Any(some) => {
                let mut any = Rows::new();
                for condition in some {
                    match self.intersect(parts(condition)).await? {
                        Some(rows) => any |= &*rows,
                        None => return Ok(None),
                    }
                }
                Ok(Some(Arc::new(any)))
            }
        }
    }

    /// All rows of the table.
    async fn all_rows(&mut self) -> Result<Option<Arc<Rows>>, R::Error> {
        self.set(&Condition::All(Vec::new()), None, None).await
    }

    async fn set(
        &mut self,
        condition: &Condition<Column>,
        search: Option<&str>,
        times: Option<&'static str>,
    ) -> Result<Option<Arc<Rows>>, R::Error> {
        let Self { memory, snapshot, table } = self;
        let test = snapshot.test(condition, search);
        let key = (table.from, test.clone());
        let set = Set { memory, table, condition, search, times, test };
        memory.sets.get(snapshot, key, &set).await
    }

    /// Whether the set of this part is in memory, perhaps of an earlier state.
    fn is_known(&self, part: &Part<'_>) -> bool {
        self.memory.sets.contains(&self.key(part))
    }

    /// Those of `rows` that meet this part, if it is requested for the first time and there are few
    /// rows. Otherwise `None`, and a set of the part is worthwhile.
    async fn test_if_new(
        &mut self,
        part: &Part<'_>,
        rows: &Rows,
    ) -> Result<Option<Rows>, R::Error> {
        let Memory { sets, requested, .. } = self.memory;
        let key = self.key(part);
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        if rows.len() > MAX_TESTED || sets.contains(&key) || requested.contains_key(&hash) {
            return Ok(None);
        }
        let met = self.snapshot.test_rows(rows, &key.1).await?;
        if !part.has_clock() {
            requested.insert(hash, ());
        }
        Ok(Some(met))
    }
}

impl<R: Reader> CachedValue<R> for Set<'_, R> {
    type Value = Rows;

    async fn make(&self, snapshot: &mut Snapshot<R>) -> Result<Rows, R::Error> {
        let blocks = match self.times {
            Some(column) => {
                blocks(self.memory, snapshot, self.table, SortOrder::by_time(column)).await?
            }
            None => None,
        };
        let Some(blocks) = blocks else {
            return snapshot.reader().find(self.condition, self.search).await;
        };
        within(&blocks, self.condition, snapshot, &self.test).await
    }

    async fn update(
        &self,
        snapshot: &mut Snapshot<R>,
        old: &Rows,
        changed: &Rows,
    ) -> Result<Option<Rows>, R::Error> {
        let met = snapshot.test_rows(changed, &self.test).await?;
        Ok(Some((old - changed) | met))
    }
}

/// All rows of the table in this order; `None` when they are not kept. The first part of the key of every
/// set and order is the table.
async fn blocks<R: Reader>(
    memory: &Memory<R::Test, R::State>,
    snapshot: &mut Snapshot<R>,
    table: &'static Table,
    order: SortOrder,
) -> Result<Option<Arc<Blocks>>, R::Error> {
    memory.orders.get(snapshot, (table.from, order), &OrderBlocks(order)).await
}

/// The rows in an order by time that meet a condition on that time; `test` is the same condition.
async fn within<R: Reader>(
    blocks: &Blocks,
    condition: &Condition<Column>,
    snapshot: &mut Snapshot<R>,
    test: &R::Test,
) -> Result<Rows, R::Error> {
    let (inside, border) = blocks.within(&times(condition));
    Ok(inside | snapshot.test_rows(&border, test).await?)
}

/// The times that meet all comparisons of the condition.
fn times(condition: &Condition<Column>) -> TimeRange {
    let mut times = TimeRange::default();
    if let Condition::All(comparisons) = condition {
        for comparison in comparisons {
            if let Condition::Is(_, Test::Time(comparison, time) | Test::Clock(comparison, time)) =
                comparison
            {
                times.narrow(*comparison, time.millis());
            }
        }
    }
    times
}
