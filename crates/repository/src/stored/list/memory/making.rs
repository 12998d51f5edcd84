//! Orders that are made after the answer to the request that needs them first, for which they would take up
//! to seconds: that request reads its page from the table.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use patrol_domain::list::Condition;

use super::{
    caches::Memory,
    order::SortOrder,
    part::{Part, parts},
    reader::Reader,
    running::RunningQuery,
};
use crate::stored::list::{Column, TableQuery};

/// Further from the start than this, a page takes too long to read from the table.
const NEAR: u64 = 1_000;

/// Where a page is read.
pub enum Source {
    /// In memory, where what is missing is made.
    Memory,
    /// In the table. What the page needs in memory is made after its answer, unless another request of
    /// this table has it made at this time.
    Table(Option<Making>),
}

/// Held by the request that has its page made in memory after its answer, with [`Memory::make`].
pub struct Making {
    running: RunningQuery<&'static str>,
    /// The hash of the query, without its page and the present time.
    query: u64,
}

impl<T, S> Memory<T, S>
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    /// Where the page is read: in the table if it lacks an order of a large table.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn source<R>(&self, reader: &mut R, query: &TableQuery) -> Result<Source, R::Error>
    where
        R: Reader<Test = T, State = S>,
    {
        let is_near = query.page.offset.saturating_add(query.page.limit.into()) <= NEAR;
        if !is_near || !self.lacks_order(query) {
            return Ok(Source::Memory);
        }
        let hash = hash(reader, query);
        if self.usual.contains_key(&hash) {
            return Ok(Source::Memory);
        }
        let size = reader.size().await?;
        if size <= R::FEW_ROWS || size > R::MAX_ROWS {
            self.usual.insert(hash, ());
            return Ok(Source::Memory);
        }
        let running = self.making.begin(query.table.from).ok();
        Ok(Source::Table(running.map(|running| Making { running, query: hash })))
    }

    /// Makes what the page of `query` needs in memory.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn make<R>(
        &self,
        reader: R,
        state: S,
        query: &TableQuery,
        making: Making,
    ) -> Result<(), R::Error>
    where
        R: Reader<Test = T, State = S>,
    {
        self.page(reader, state, query).await?;
        // It needed none, because few rows meet its condition.
        if self.lacks_order(query) {
            self.usual.insert(making.query, ());
        }
        drop(making.running);
        Ok(())
    }

    /// Whether an order that the page may need is not in memory.
    fn lacks_order(&self, query: &TableQuery) -> bool {
        let sorted = SortOrder::of(query).filter(|_| query.page.limit > 0);
        let mut orders = sorted.into_iter().chain(orders_by_time(&query.condition));
        orders.any(|order| self.orders.lacks(&(query.table.from, order)))
    }
}

/// The orders by time with which the parts of a condition are found.
fn orders_by_time(condition: &Condition<Column>) -> Vec<SortOrder> {
    let of = |part| match part {
        Part::Times(column, _) | Part::Clock(column, _) => vec![SortOrder::by_time(column)],
        Part::Any(some) => some.iter().flat_map(orders_by_time).collect(),
        Part::Met(_) | Part::Unmet(_) | Part::Search(_) => Vec::new(),
    };
    parts(condition).into_iter().flat_map(of).collect()
}

/// The same for pages of the same list.
fn hash<R: Reader>(reader: &R, query: &TableQuery) -> u64 {
    let mut hasher = DefaultHasher::new();
    (query.table.from, SortOrder::of(query)).hash(&mut hasher);
    for part in parts(&query.condition) {
        part.cost().hash(&mut hasher);
        match &part {
            Part::Clock(column, _) => column.hash(&mut hasher),
            part if part.has_clock() => {}
            part => part.test(|condition, search| reader.test(condition, search)).hash(&mut hasher),
        }
    }
    query.search.hash(&mut hasher);
    hasher.finish()
}
