//! How a list is declared: which parameters it takes and what they stand for.

use patrol_domain::{
    Named, Timestamp,
    ids::Uuid,
    list::{Condition, Listed, Test},
};
use serde::Serialize;

/// A list that can be asked for over HTTP. Everything that differs between two lists stands here;
/// reading the query string and writing the answer are the same for all (decisions 4).
pub(crate) trait Declared: Listed {
    /// What is asked for by parameters that are no filters, each of which stands at most once.
    type Options: Default;
    /// The form in which an item is written.
    type Row<'a>: Serialize;

    /// The filters, by the name of their parameter.
    const FILTERS: &'static [Filter<Self::Filter>];
    /// The parameters that are no filters.
    const OPTIONS: &'static [OptionParameter<Self::Options>];
    /// What can be sorted by.
    const SORTS: &'static [(&'static str, Self::Sort)];
    /// Whether the quick search `q` is there.
    const SEARCHED: bool;
    /// Where the answer repeats the filters.
    const FILTER_PLACE: FilterPlace = FilterPlace::Top;

    /// What the filters mean together with the options; unless a list says otherwise, all hold.
    fn condition(terms: Vec<(Self::Filter, Test)>, _: &Self::Options) -> Condition<Self::Filter> {
        Condition::All(
            terms.into_iter().map(|(filter, test)| Condition::Is(filter, test)).collect(),
        )
    }

    /// An item as it is written; `now` ends durations that still run.
    fn row(item: &Self::Item, now: Timestamp) -> Self::Row<'_>;
}

/// Where the answer repeats the filters that were applied (interface 2.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FilterPlace {
    /// Next to `data` and `meta`.
    Top,
    /// Inside `meta`.
    Meta,
    /// Nowhere.
    Absent,
}

/// A filter parameter.
pub(crate) struct Filter<P> {
    /// The parameter.
    pub(crate) name: &'static str,
    /// What it filters by.
    pub(crate) property: P,
    /// What its values are.
    pub(crate) kind: Kind,
}

/// What the values of a filter are; says which operators it has and what an unprefixed value means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Free text, compared without regard to case.
    Text,
    /// Values of an enumeration: their names, and their stored codes in the same order.
    Enumeration(&'static [&'static str], &'static [i16]),
    /// UUIDs.
    Id,
    /// Tags, compared exactly.
    Tag,
    /// true or false.
    Boolean,
    /// A time.
    Time,
}

impl Kind {
    /// The values of this enumeration.
    pub(crate) const fn of<T: Named>() -> Self {
        Self::Enumeration(T::NAMES, T::CODES)
    }
}

/// A parameter that is no filter; it is repeated under `filter` all the same.
pub(crate) struct OptionParameter<O> {
    /// The parameter.
    pub(crate) name: &'static str,
    /// Takes its value.
    pub(crate) set: Setter<O>,
}

/// Takes the value of an option.
pub(crate) enum Setter<O> {
    /// true or false.
    Flag(fn(&mut O, bool)),
    /// A UUID.
    Id(fn(&mut O, Uuid)),
}
