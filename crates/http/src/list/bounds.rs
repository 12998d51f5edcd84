//! How much one list query may ask for, so that no query keeps the store busy for others.

use std::collections::HashSet;

use patrol_domain::list::{Direction, Test};

use super::{fault::Fault, filter::Value};

/// Most filters of a query. Filters that ask for the same count once.
const FILTERS: usize = 64;

/// Most values of all `in:` and `nin:` of a query. Within one filter, equal values count once.
const VALUES: usize = 1_000;

/// Most sorts of a query. The same property in the same direction counts once.
const SORTS: usize = 8;

/// What a query has asked for so far. It stays small whatever the query string holds: what exceeds
/// a bound is not kept.
#[derive(Default)]
pub(super) struct Bounds {
    filters: HashSet<(&'static str, Test)>,
    values: usize,
    sorts: Vec<(&'static str, Direction)>,
    /// Each excess is reported once.
    reported: Reported,
}

#[derive(Default)]
struct Reported {
    filters: bool,
    values: bool,
    sorts: bool,
}

impl Bounds {
    /// The test that the filter `name` adds to the query; none when the query has it already.
    ///
    /// # Errors
    /// At the first filter too many, and at the filter with the first value too many.
    pub(super) fn filter(
        &mut self,
        name: &'static str,
        value: Value,
    ) -> Result<Option<Test>, Fault> {
        let Value { test, listed } = value;
        let filter = (name, test);
        if self.filters.contains(&filter) {
            return Ok(None);
        }
        if self.filters.len() == FILTERS {
            return once(&mut self.reported.filters, FILTERS);
        }
        let values = self.values.saturating_add(listed);
        if values > VALUES {
            return once(&mut self.reported.values, VALUES);
        }
        self.values = values;
        let test = filter.1.clone();
        self.filters.insert(filter);
        Ok(Some(test))
    }

    /// Counts a sort.
    ///
    /// # Errors
    /// At the first sort too many.
    pub(super) fn sort(&mut self, name: &'static str, direction: Direction) -> Result<(), Fault> {
        let sort = (name, direction);
        if self.sorts.contains(&sort) {
            return Ok(());
        }
        if self.sorts.len() == SORTS {
            return once(&mut self.reported.sorts, SORTS).map(|_| ());
        }
        self.sorts.push(sort);
        Ok(())
    }
}

/// The fault of asking for more than `most`, unless it was reported.
fn once(reported: &mut bool, most: usize) -> Result<Option<Test>, Fault> {
    if std::mem::replace(reported, true) { Ok(None) } else { Err(Fault::TooMany(most)) }
}
