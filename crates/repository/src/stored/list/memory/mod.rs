//! Lists from memory: compressed sets of the rows that meet a condition, and the rows of a table in
//! a requested order. The rows of a query are the intersection of the sets of its conditions; their
//! number is the total, and the page is where they come in the order. A store then reads only the
//! rows of the page.
//!
//! A change discards neither sets nor orders: the log of changes names the rows that have changed, and
//! only these are tested or moved.

mod caches;
mod changes;
mod making;
mod members;
mod order;
mod orders;
mod page;
mod part;
mod reader;
mod rows;
mod running;
mod sets;
mod snapshot;
mod statements;
mod time_range;
mod versioned_cache;

pub use self::{
    caches::Memory,
    changes::{Changes, Event, EventTypes, MAX_CHANGES, select_events},
    making::{Making, Source},
    order::{SortOrder, SortPosition, SortValue},
    page::FoundPage,
    reader::Reader,
    rows::{Rows, row_key, row_set},
    running::RunningQueries,
    statements::{select_keys, select_sort_positions, select_sort_values, select_tested},
};

#[cfg(test)]
mod tests;
