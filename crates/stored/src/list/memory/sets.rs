//! The rows that meet a query.

use std::{
    future::Future,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    pin::Pin,
    sync::Arc,
};

use patrol_domain::list::{Condition, Test};

use super::{
    Memory, Reader, Rows,
    orders::{Blocks, OrderBlocks, SortOrder},
    part::{Part, parts},
    time_range::TimeRange,
    versioned_cache::CachedValue,
};
use crate::list::{Column, Table, TableQuery};

/// Up to this many rows, a condition is tested row by row when it is requested for the first time. Many
/// are never requested again, for example those with the present time.
const MAX_TESTED: u64 = 1_000;

/// One request's view of the memory, in the state of the data that its reader sees.
pub struct Snapshot<'a, R: Reader> {
    memory: &'a Memory<R::Test, R::State>,
    reader: R,
    state: R::State,
    table: &'static Table,
    /// The rows that have changed since each state that was looked up; `None` when they are unknown.
    changed: Vec<(R::State, Option<Arc<Rows>>)>,
}

/// The set of a condition.
struct Set<'a, T> {
    condition: &'a Condition<Column>,
    search: Option<&'a str>,
    /// The column, if the condition compares its times.
    times: Option<&'static str>,
    test: T,
}

type Matches<'a, E> = Pin<Box<dyn Future<Output = Result<Option<Arc<Rows>>, E>> + Send + 'a>>;

impl<'a, R: Reader> Snapshot<'a, R> {
    pub(super) fn new(
        memory: &'a Memory<R::Test, R::State>,
        reader: R,
        state: R::State,
        table: &'static Table,
    ) -> Self {
        Self { memory, reader, state, table, changed: Vec::new() }
    }

    pub(super) const fn state(&self) -> &R::State {
        &self.state
    }

    pub(super) fn reader(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The first part of the key of every set and order.
    fn table_name(&self) -> &'static str {
        self.table.from
    }

    /// The key of the set of this part.
    fn key(&self, part: &Part<'_>) -> (&'static str, R::Test) {
        (self.table_name(), part.test(|condition, search| self.reader.test(condition, search)))
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
        self.memory.orders.get(self, (self.table_name(), order), &OrderBlocks(order)).await
    }

    /// The rows that have changed since `state`. Read once for all sets and orders.
    pub(super) async fn changed_since(
        &mut self,
        state: &R::State,
    ) -> Result<Option<Arc<Rows>>, R::Error> {
        if let Some((_, changed)) = self.changed.iter().find(|(since, _)| since == state) {
            return Ok(changed.clone());
        }
        let changed = self.reader.changed_since(state).await?.map(Arc::new);
        self.changed.push((state.clone(), changed.clone()));
        Ok(changed)
    }

    /// Those of `rows` that pass the test.
    async fn test_rows(&mut self, rows: &Rows, test: &R::Test) -> Result<Rows, R::Error> {
        if rows.is_empty() { Ok(Rows::new()) } else { self.reader.test_rows(rows, test).await }
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
        let test = self.reader.test(condition, search);
        let key = (self.table_name(), test.clone());
        self.memory.sets.get(self, key, &Set { condition, search, times, test }).await
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
        let met = self.test_rows(rows, &key.1).await?;
        requested.insert(hash, ());
        Ok(Some(met))
    }
}

impl<R: Reader> CachedValue<R> for Set<'_, R::Test> {
    type Value = Rows;

    async fn make(&self, snapshot: &mut Snapshot<'_, R>) -> Result<Rows, R::Error> {
        let blocks = match self.times {
            Some(column) => snapshot.blocks(SortOrder::by_time(column)).await?,
            None => None,
        };
        let Some(blocks) = blocks else {
            return snapshot.reader.find(self.condition, self.search).await;
        };
        let (inside, border) = blocks.within(&times(self.condition));
        Ok(inside | snapshot.test_rows(&border, &self.test).await?)
    }

    async fn update(
        &self,
        snapshot: &mut Snapshot<'_, R>,
        old: &Rows,
        changed: &Rows,
    ) -> Result<Option<Rows>, R::Error> {
        let met = snapshot.test_rows(changed, &self.test).await?;
        Ok(Some((old - changed) | met))
    }
}

/// The times that meet all comparisons of the condition.
fn times(condition: &Condition<Column>) -> TimeRange {
    let mut times = TimeRange::default();
    if let Condition::All(comparisons) = condition {
        for comparison in comparisons {
            if let Condition::Is(_, Test::Time(comparison, time)) = comparison {
                times.narrow(*comparison, time.millis());
            }
        }
    }
    times
}
