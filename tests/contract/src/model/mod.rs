//! A reference model of lists: computes the answer in memory in the simplest way.

mod check_list;
mod location;
mod point;
mod scheduled_task;
mod task_execution;
mod user;

use std::{cmp::Ordering, fmt, time::Duration};

use patrol_domain::{
    Timestamp,
    ids::Uuid,
    list::{Comparison, Condition, Direction, Listed, Membership, Query, Test},
    shared::text::fold,
    task_execution::{Moment, Punctuality},
};
use proptest::strategy::BoxedStrategy;

/// A list with a model.
pub(crate) trait Modelled: Listed<Item: PartialEq + fmt::Debug> + fmt::Debug {
    /// The stored record behind an item.
    type Record: Send + 'static;
    /// All filters.
    const FILTERS: &'static [Self::Filter];

    /// The item of a record.
    fn item(record: &Self::Record) -> Self::Item;
    /// The value that the filter compares.
    fn value(record: &Self::Record, filter: Self::Filter) -> Value;
    /// Random tests for the filter.
    fn test(filter: Self::Filter) -> BoxedStrategy<Test>;
    /// The texts that the quick search compares.
    fn searched(record: &Self::Record) -> Vec<&str>;
    /// The sort key; `None` for null.
    fn key(record: &Self::Record, sort: Self::Sort, moment: Moment) -> Option<Key>;
    /// The tie-breaking keys, ascending; no two records have the same.
    fn ties(record: &Self::Record) -> Vec<Key>;
}

/// The value of a filtered property.
pub(crate) enum Value {
    Text(String),
    /// `None` for null.
    OptionalText(Option<String>),
    Tags(Vec<String>),
    Ids(Vec<Uuid>),
    Code(Option<i16>),
    Flag(bool),
    Time(Timestamp),
    /// No time.
    NoTime,
    /// `None` for null.
    Millis(Option<i64>),
}

/// A sort key; all keys of one property have the same variant.
#[derive(PartialEq, PartialOrd)]
pub(crate) enum Key {
    Number(i64),
    Degrees(f64),
    Text(String),
    Id(Uuid),
}

impl Key {
    /// Text in the form in which it is compared.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(fold(text))
    }
}

/// The items of `query` among `records`, and their total.
pub(crate) fn answer<L: Modelled>(records: &[L::Record], query: &Query<L>) -> (Vec<L::Item>, u64) {
    let Query { condition, search, sort, page, in_parts: _, now, late_after } = query;
    let late_after = Duration::from_millis(late_after.unsigned_abs());
    let moment = Moment { now: *now, punctuality: Punctuality { late_after } };
    let found = |record: &&L::Record| {
        meets::<L>(record, condition)
            && search.as_ref().is_none_or(|term| {
                L::searched(record).iter().any(|text| fold(text).contains(term.as_str()))
            })
    };
    let mut found: Vec<_> = records.iter().filter(found).collect();
    found.sort_by(|one, other| {
        let criteria = sort.iter().map(|sort| {
            let key = |record| L::key(record, sort.property, moment);
            compare(key(one), key(other), sort.direction)
        });
        let ties = L::ties(one).into_iter().zip(L::ties(other));
        let ties = ties.map(|(one, other)| compare(Some(one), Some(other), Direction::Ascending));
        criteria.chain(ties).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    let total = u64::try_from(found.len()).expect("a count");
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit).expect("a limit");
    let items = found.into_iter().skip(offset).take(limit).map(L::item);
    (items.collect(), total)
}

fn meets<L: Modelled>(record: &L::Record, condition: &Condition<L::Filter>) -> bool {
    match condition {
        Condition::All(all) => all.iter().all(|condition| meets::<L>(record, condition)),
        Condition::Any(any) => any.iter().any(|condition| meets::<L>(record, condition)),
        Condition::Is(property, test) => passes(&L::value(record, *property), test),
    }
}

fn passes(value: &Value, test: &Test) -> bool {
    match (value, test) {
        (Value::Text(text), Test::Contains(term)) => fold(text).contains(term),
        (Value::Text(text), Test::Text(membership, texts)) => {
            is(*membership, texts.contains(&fold(text)))
        }
        (Value::OptionalText(Some(text)), test) => passes(&Value::Text(text.clone()), test),
        (Value::OptionalText(None), Test::Contains(_)) => false,
        (Value::OptionalText(None), Test::Text(membership, _) | Test::Exact(membership, _)) => {
            is(*membership, false)
        }
        (Value::Text(text), Test::Exact(membership, texts)) => {
            is(*membership, texts.contains(text))
        }
        (Value::Tags(tags), Test::Tags(membership, some)) => {
            is(*membership, tags.iter().any(|tag| some.contains(tag)))
        }
        (Value::Ids(ids), Test::Ids(membership, some)) => {
            is(*membership, ids.iter().any(|id| some.contains(id)))
        }
        (Value::Code(code), Test::Codes(membership, codes)) => {
            is(*membership, code.is_some_and(|code| codes.contains(&code)))
        }
        (Value::Flag(flag), Test::Flag(wanted)) => flag == wanted,
        (Value::Time(time), Test::Time(comparison, other) | Test::Clock(comparison, other)) => {
            compares(time, *comparison, other)
        }
        (Value::Millis(millis), Test::Millis(comparison, other)) => match millis {
            Some(millis) => compares(millis, *comparison, other),
            None => *comparison == Comparison::NotEqual,
        },
        (Value::NoTime, Test::Time(comparison, _) | Test::Clock(comparison, _)) => {
            *comparison == Comparison::NotEqual
        }
        _ => unreachable!("the test does not fit the property"),
    }
}

fn compares<T: Ord>(value: &T, comparison: Comparison, other: &T) -> bool {
    match comparison {
        Comparison::Equal => value == other,
        Comparison::NotEqual => value != other,
        Comparison::Greater => value > other,
        Comparison::GreaterOrEqual => value >= other,
        Comparison::Less => value < other,
        Comparison::LessOrEqual => value <= other,
    }
}

fn is(membership: Membership, among: bool) -> bool {
    among == (membership == Membership::Any)
}

/// Nulls last in both directions.
fn compare(one: Option<Key>, other: Option<Key>, direction: Direction) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => {
            let order = one.partial_cmp(&other).expect("keys that compare");
            if direction == Direction::Descending { order.reverse() } else { order }
        }
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}
