//! What the memory needs from a store.

use std::{future::Future, hash::Hash};

use event_listener::EventListener;
use patrol_domain::{StoreError, list::Condition};

use super::{
    order::{SortOrder, SortPosition},
    rows::Rows,
};
use crate::stored::list::Column;

/// Reads the rows of a table, in one snapshot of the data.
pub trait Reader: Send {
    /// A state of the data. A later state is greater.
    type State: Clone + Eq + Hash + PartialOrd + Send + Sync + 'static;
    /// A condition as a test of one row.
    type Test: Clone + Eq + Hash + Send + Sync + 'static;
    /// The error of a read.
    type Error: From<StoreError> + Send;

    /// The maximum number of matches that the store sorts for an order that is not in memory.
    const MAX_SORTED: u64;

    /// The number of rows of the largest table whose pages are found in memory.
    const MAX_ROWS: u64;

    /// The number of rows of the largest table whose orders are made at once.
    const FEW_ROWS: u64 = 50_000;

    /// The condition, and the term of the quick search, as a test.
    fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> Self::Test;

    /// About the number of rows of the table.
    fn size(&mut self) -> impl Future<Output = Result<u64, Self::Error>> + Send;

    /// The rows that have changed since an earlier state, also removed ones; `None` when they
    /// cannot be known, or are too many.
    fn changed_since(
        &mut self,
        state: &Self::State,
    ) -> impl Future<Output = Result<Option<Rows>, Self::Error>> + Send;

    /// All rows that meet the condition and contain the term.
    fn find(
        &mut self,
        condition: &Condition<Column>,
        search: Option<&str>,
    ) -> impl Future<Output = Result<Rows, Self::Error>> + Send;

    /// Those of `rows`, at least one, that pass the test.
    fn test_rows(
        &mut self,
        rows: &Rows,
        test: &Self::Test,
    ) -> impl Future<Output = Result<Rows, Self::Error>> + Send;

    /// Calls `each` with all rows of the table in order, or with those of `rows` in any order.
    fn sort_positions(
        &mut self,
        order: SortOrder,
        rows: Option<&Rows>,
        each: &mut (dyn FnMut(u32, SortPosition) + Send),
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Lets others continue, and fails when the list is cancelled. Called in long computations. With
    /// `ended`, waits until the query of another request has ended, or until this request has to check
    /// again whether it is cancelled.
    fn pause(
        &mut self,
        ended: Option<EventListener>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}
