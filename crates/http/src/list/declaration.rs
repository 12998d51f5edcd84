//! The declaration of a list: its parameters and their meaning.

use patrol_domain::{
    Named, Timestamp,
    ids::Uuid,
    list::{Condition, Listed, Test},
};
use serde::Serialize;

/// A list of the API. Declares everything that differs between lists; parsing the query string and
/// writing the response are common code.
pub(crate) trait Declared: Listed {
    /// Values of parameters that are not filters, each of which may be given once.
    type Options: Default;
    /// The JSON form of an item.
    type Row<'a>: Serialize;

    /// The filters by parameter name.
    const FILTERS: &'static [Filter<Self::Filter>];
    /// The parameters that are not filters.
    const OPTIONS: &'static [OptionParameter<Self::Options>];
    /// The sort properties.
    const SORTS: &'static [(&'static str, Self::Sort)];
    /// Whether the list has the quick search `q`.
    const SEARCHED: bool;
    /// Where the response repeats the filters.
    const FILTER_PLACE: FilterPlace = FilterPlace::Top;

    /// Combines the filters with the options; by default all filters apply.
    fn condition(terms: Vec<(Self::Filter, Test)>, _: &Self::Options) -> Condition<Self::Filter> {
        Condition::All(
            terms.into_iter().map(|(filter, test)| Condition::Is(filter, test)).collect(),
        )
    }

    /// The JSON form of an item; `now` ends running durations.
    fn row(item: &Self::Item, now: Timestamp) -> Self::Row<'_>;
}

/// Where the response repeats the applied filters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FilterPlace {
    /// Next to `data` and `meta`.
    Top,
    /// Inside `meta`.
    Meta,
    /// Not at all.
    Absent,
}

/// A filter parameter.
pub(crate) struct Filter<P> {
    /// The name of the parameter.
    pub(crate) name: &'static str,
    /// The property that it filters by.
    pub(crate) property: P,
    /// The kind of its values.
    pub(crate) kind: Kind,
}

/// The kind of values of a filter, which determines its operators and the meaning of an unprefixed
/// value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Free text, compared without case.
    Text,
    /// Enumeration values: the names, and the stored codes in the same order.
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
    /// The kind for the values of this enumeration.
    pub(crate) const fn of<T: Named>() -> Self {
        Self::Enumeration(T::NAMES, T::CODES)
    }
}

/// A parameter that is not a filter; `filter` in the response repeats it as well.
pub(crate) struct OptionParameter<O> {
    /// The name of the parameter.
    pub(crate) name: &'static str,
    /// Stores its value.
    pub(crate) set: Setter<O>,
}

/// Stores the value of an option.
pub(crate) enum Setter<O> {
    /// true or false.
    Flag(fn(&mut O, bool)),
    /// A UUID.
    Id(fn(&mut O, Uuid)),
}
