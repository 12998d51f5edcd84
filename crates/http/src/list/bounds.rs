//! Bounds of a list query, so that no query blocks the store for others.

use std::collections::HashSet;

use patrol_domain::list::{Direction, Test};

use super::{fault::ParameterFault, filter::Value};

/// The maximum number of filters of a query. Equal filters count once.
pub(crate) const MAX_FILTERS: usize = 64;

/// The maximum number of values of all `in:` and `nin:` of a query. Within one filter, equal values
/// count once.
pub(crate) const MAX_VALUES: usize = 1_000;

/// The maximum number of sorts of a query. The same property in the same direction counts once.
pub(crate) const MAX_SORTS: usize = 8;

/// The filters and sorts that were parsed so far. Its size is bounded for any query string, because
/// filters and sorts that exceed a bound are not stored.
#[derive(Default)]
pub(super) struct BoundedTerms {
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

impl BoundedTerms {
    /// The test that the filter `name` adds to the query; `None` for a duplicate, and for a filter
    /// beyond a bound that was reported before.
    ///
    /// # Errors
    /// `TooMany` for the first filter beyond [`MAX_FILTERS`], and for the first filter with which
    /// the values exceed [`MAX_VALUES`].
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
        if self.filters.len() == MAX_FILTERS {
            return report_once(&mut self.reported.filters, MAX_FILTERS);
        }
        let values = self.values.saturating_add(listed);
        if values > MAX_VALUES {
            return report_once(&mut self.reported.values, MAX_VALUES);
        }
        self.values = values;
        let test = filter.1.clone();
        self.filters.insert(filter);
        Ok(Some(test))
    }

    /// Counts a sort that is new and within the bound.
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
        if self.sorts.len() == MAX_SORTS {
            return report_once(&mut self.reported.sorts, MAX_SORTS).map(|_| ());
        }
        self.sorts.push(sort);
        Ok(())
    }
}

/// The fault for exceeding `most`, unless it was reported before.
fn report_once(reported: &mut bool, most: usize) -> Result<Option<Test>, ParameterFault> {
    if std::mem::replace(reported, true) { Ok(None) } else { Err(ParameterFault::TooMany(most)) }
}
