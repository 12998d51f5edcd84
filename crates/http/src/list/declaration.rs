//! The declaration of a list: its parameters and their meaning.

use patrol_domain::{
    Named,
    ids::Uuid,
    list::{Condition, Listed, Test},
    task_execution::Moment,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::Language;

/// Declares everything that differs between the lists of the API. All lists share the code that
/// parses the query string and writes the response.
pub(crate) trait ListDeclaration: Listed {
    /// Values of parameters that are not filters, each of which may be given once.
    type Options: Default;
    /// The JSON form of an item.
    type Row<'a>: Serialize + ToSchema;

    /// The name of the list's schema, for example `TokenList`.
    const NAME: &'static str;

    /// The filters by parameter name.
    const FILTERS: &'static [Filter<Self::Filter>];
    /// The parameters that are not filters.
    const OPTIONS: &'static [OptionParameter<Self::Options>] = &[];
    /// An example of a sort, for example `name,asc`.
    const SORT_EXAMPLE: &'static str;
    /// The properties that break ties between items.
    const TIES: &'static str = "id";
    /// Whether items are sorted by id when the query has no sort; otherwise by what breaks ties.
    const SORTED_BY_ID: bool = true;
    /// Whether the list also answers as CSV: a row for each item, a column for each member.
    const HAS_CSV: bool = false;
    /// Whether items have messages for people, in the language that the client prefers.
    const HAS_MESSAGES: bool = false;
    /// The quick search `q`; `None` when the list does not have one.
    const SEARCH: Option<Search> = None;
    /// Where the response repeats the filters.
    const FILTER_PLACE: FilterPlace = FilterPlace::Top;

    /// Combines the filters with the options; by default all filters apply.
    fn condition(terms: Vec<(Self::Filter, Test)>, _: &Self::Options) -> Condition<Self::Filter> {
        Condition::All(
            terms.into_iter().map(|(filter, test)| Condition::Is(filter, test)).collect(),
        )
    }

    /// The JSON form of an item.
    fn row(item: &Self::Item, context: RowContext) -> Self::Row<'_>;
}

/// What the JSON form of an item depends on besides the item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowContext {
    /// The present time: a duration that has not ended is counted up to it.
    pub(crate) moment: Moment,
    /// The language of messages.
    pub(crate) language: Language,
}

/// Where the response repeats the applied filters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FilterPlace {
    /// Next to `data` and `meta`.
    Top,
    /// Inside `meta`.
    Meta,
    /// The response does not repeat them.
    Absent,
}

/// The description of the quick search `q`.
pub(crate) struct Search {
    /// The searched fields, for example `name or a tag`.
    pub(crate) fields: &'static str,
    /// For example `gate`.
    pub(crate) example: &'static str,
}

/// A filter parameter.
pub(crate) struct Filter<P> {
    /// The name of the parameter.
    pub(crate) name: &'static str,
    /// What it filters by.
    pub(crate) subject: Subject<P>,
    /// The kind of its values.
    pub(crate) kind: Kind,
    /// The description, for example `Planned start.`. Empty for an enumeration, which is described
    /// by its values.
    pub(crate) about: &'static str,
    /// An example of its value, for example `gte:2026-01-01T00:00:00Z`.
    pub(crate) example: &'static str,
}

/// What a filter filters by.
#[derive(Clone, Copy)]
pub(crate) enum Subject<P> {
    /// A property that the store knows.
    Property(P),
    /// What follows from other properties and the present time, true or false: the condition that it is
    /// the given one.
    Derived(fn(Moment, bool) -> Condition<P>),
}

impl<P: Copy> Filter<P> {
    /// A filter without a description.
    pub(crate) const fn new(name: &'static str, property: P, kind: Kind) -> Self {
        Self { name, subject: Subject::Property(property), kind, about: "", example: "" }
    }

    /// A filter by what follows from other properties and the present time.
    pub(crate) const fn derived(
        name: &'static str,
        condition: fn(Moment, bool) -> Condition<P>,
    ) -> Self {
        let subject = Subject::Derived(condition);
        Self { name, subject, kind: Kind::Boolean, about: "", example: "" }
    }

    /// The same filter with a description and an example of its value.
    pub(crate) const fn about(self, about: &'static str, example: &'static str) -> Self {
        Self { about, ..self.example(example) }
    }

    /// The same filter with an example of its value.
    pub(crate) const fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }
}

/// The kind of values of a filter, which determines its operators and the meaning of a value
/// without an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Free text, compared without case.
    Text,
    /// Enumeration values: the names, and the stored codes in the same order.
    Enumeration(&'static [&'static str], &'static [i16]),
    /// One of these names, compared as text.
    Name(&'static [&'static str]),
    /// A text that is compared exactly, and searched without case.
    Exact,
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

/// A parameter that is not a filter. `filter` in the response repeats it like a filter.
pub(crate) struct OptionParameter<O> {
    /// The name of the parameter.
    pub(crate) name: &'static str,
    /// The description.
    pub(crate) about: &'static str,
    /// Stores its value.
    pub(crate) set: Setter<O>,
}

/// Stores the value of an option.
pub(crate) enum Setter<O> {
    /// true or false.
    Flag(fn(&mut O, bool)),
    /// A UUID.
    Id(fn(&mut O, Uuid)),
    /// A whole number, with its least and its greatest value.
    Number(u64, u64, fn(&mut O, u64)),
}
