//! The state of the data that one request sees.

use std::sync::Arc;

use patrol_domain::list::Condition;

use super::{reader::Reader, rows::Rows};
use crate::stored::list::Column;

/// A snapshot of the data.
pub(super) struct Snapshot<R: Reader> {
    reader: R,
    state: R::State,
    /// The rows that have changed since each state that was looked up; `None` when they are unknown.
    changed: Vec<(R::State, Option<Arc<Rows>>)>,
}

impl<R: Reader> Snapshot<R> {
    pub(super) const fn new(reader: R, state: R::State) -> Self {
        Self { reader, state, changed: Vec::new() }
    }

    pub(super) const fn state(&self) -> &R::State {
        &self.state
    }

    pub(super) const fn reader(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The test of a condition and of the term of the quick search.
    pub(super) fn test(&self, condition: &Condition<Column>, search: Option<&str>) -> R::Test {
        self.reader.test(condition, search)
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
    pub(super) async fn test_rows(
        &mut self,
        rows: &Rows,
        test: &R::Test,
    ) -> Result<Rows, R::Error> {
        if rows.is_empty() { Ok(Rows::new()) } else { self.reader.test_rows(rows, test).await }
    }
}
