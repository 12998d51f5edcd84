//! The rows of a page.

use std::hash::Hash;

use patrol_domain::list::Page;

use super::{caches::Memory, order::SortOrder, reader::Reader, sets::Lookup};
use crate::stored::list::TableQuery;

/// Up to this many matches are read and sorted by the store.
const FEW: u64 = 256;

/// The rows of a page.
#[derive(Debug)]
pub enum FoundPage {
    /// Rows that include those of the page.
    Rows {
        /// The number of matches.
        total: u64,
        /// The rows.
        rows: Vec<u32>,
        /// Whether `rows` are exactly those of the page, in the requested order.
        is_sorted: bool,
        /// The page, among these rows.
        page: Page,
    },
    /// Too many matches to sort, in an order that is not in memory.
    Many {
        /// Their number.
        total: u64,
    },
}

impl<T, S> Memory<T, S>
where
    T: Clone + Eq + Hash + Send + Sync + 'static,
    S: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static,
{
    /// The rows of a short page, in `state`, which `reader` sees; `None` when they have to be found in
    /// the table: it is too large, or only later states are known.
    ///
    /// # Errors
    /// Those of the reader.
    pub async fn page<R>(
        &self,
        reader: R,
        state: S,
        query: &TableQuery,
    ) -> Result<Option<FoundPage>, R::Error>
    where
        R: Reader<Test = T, State = S>,
    {
        let mut lookup = Lookup::new(self, reader, state, query.table);
        let Some(matches) = lookup.matches(query).await? else { return Ok(None) };
        let (total, page) = (matches.len(), query.page);
        if page.limit == 0 || page.offset >= total {
            return Ok(Some(FoundPage::Rows { total, rows: Vec::new(), is_sorted: true, page }));
        }
        let all = || {
            let rows = matches.iter().collect();
            FoundPage::Rows { total, rows, is_sorted: false, page }
        };
        let order = SortOrder::of(query).filter(|_| total > FEW);
        let Some(order) = order else {
            let is_few = total <= FEW.max(R::MAX_SORTED);
            return Ok(Some(if is_few { all() } else { FoundPage::Many { total } }));
        };
        let Some(blocks) = lookup.blocks(order).await? else { return Ok(None) };
        let rows = blocks.page(lookup.reader(), order, &matches, page).await?;
        let page = Page { offset: 0, ..page };
        Ok(Some(FoundPage::Rows { total, rows, is_sorted: true, page }))
    }
}
