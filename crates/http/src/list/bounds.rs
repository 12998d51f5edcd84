//! Bounds of a list query, so that no query blocks the store for others.

use std::collections::HashSet;

use patrol_domain::list::{Direction, Test};

use super::{fault::ParameterFault, filter::Value};

/// The maximum number of filters of a query. Equal filters count once.
pub(crate) const FILTERS: usize = 64;

/// The maximum number of values of all `in:` and `nin:` of a query. Within one filter, equal values
/// count once.
pub(crate) const VALUES: usize = 1_000;

/// The maximum number of sorts of a query. The same property in the same direction counts once.
pub(crate) const SORTS: usize = 8;

/// The filters and sorts that were parsed so far. Its size is bounded for any query string, because
/// filters and sorts that exceed a bound are not stored.
#[derive(Default)]
pub(super) struct Bounds {
    filters: HashSet<(&'static str, Test)>,
    values: usize,
    sorts: Vec<(&'static str, Direction)>,
    /// Each exceeded bound is reported once.
    reported: Reported,
}

#[derive(Default)]
struct Reported {
    filters: bool,
    values: bool,
    sorts: bool,
}

impl Bounds {
    /// The test that the filter `name` adds to the query; `None` for a duplicate.
    ///
    /// # Errors
    /// At the first filter beyond the bound, and at the filter with the first value beyond it.
    pub(super) fn filter(
        &mut self,
        name: &'static str,
        value: Value,
    ) -> Result<Option<Test>, ParameterFault> {
        let Value { test, listed } = value;
        let filter = (name, test);
        if self.filters.contains(&filter) {
            return Ok(None);
        }
        if self.filters.len() == FILTERS {
            return report_once(&mut self.reported.filters, FILTERS);
        }
        let values = self.values.saturating_add(listed);
        if values > VALUES {
            return report_once(&mut self.reported.values, VALUES);
        }
        self.values = values;
        let test = filter.1.clone();
        self.filters.insert(filter);
        Ok(Some(test))
    }

    /// Counts a sort.
    ///
    /// # Errors
    /// At the first sort beyond the bound.
    pub(super) fn sort(
        &mut self,
        name: &'static str,
        direction: Direction,
    ) -> Result<(), ParameterFault> {
        let sort = (name, direction);
        if self.sorts.contains(&sort) {
            return Ok(());
        }
        if self.sorts.len() == SORTS {
            return report_once(&mut self.reported.sorts, SORTS).map(|_| ());
        }
        self.sorts.push(sort);
        Ok(())
    }
}

/// The fault for exceeding `most`, unless it was reported before.
fn report_once(reported: &mut bool, most: usize) -> Result<Option<Test>, ParameterFault> {
    if std::mem::replace(reported, true) { Ok(None) } else { Err(ParameterFault::TooMany(most)) }
}
