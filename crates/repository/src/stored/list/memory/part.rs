//! The parts of a condition that have sets of rows of their own.

use patrol_domain::list::{Comparison, Condition, Membership, Test};

use super::super::Column;

/// A part of a query that has a set of rows of its own.
pub(super) enum Part<'a> {
    /// The rows that meet the condition.
    Met(Condition<Column>),
    /// The rows with times in this column that meet the condition.
    Times(&'static str, Condition<Column>),
    /// The same for a comparison that no later query has.
    Clock(&'static str, Condition<Column>),
    /// All rows but those that meet the condition.
    Unmet(Condition<Column>),
    /// The rows that meet at least one of these.
    Any(&'a [Condition<Column>]),
    /// The rows that contain the term of the quick search.
    Search(&'a str),
}

impl Part<'_> {
    /// What a row is tested for. Rows that pass the test of `Unmet` have to be excluded.
    pub(super) fn test<T>(&self, test: impl Fn(&Condition<Column>, Option<&str>) -> T) -> T {
        match self {
            Self::Met(condition)
            | Self::Times(_, condition)
            | Self::Clock(_, condition)
            | Self::Unmet(condition) => test(condition, None),
            Self::Any(some) => test(&Condition::Any(some.to_vec()), None),
            Self::Search(term) => test(&Condition::All(Vec::new()), Some(term)),
        }
    }

    /// A rank: parts that are expected to select fewer rows come first.
    pub(super) fn cost(&self) -> u8 {
        match self {
            Self::Met(Condition::Is(column, test)) => match (test, column) {
                (Test::Contains(_), _) => 4,
                (_, Column::LowCardinality { .. } | Column::Condition(_)) => 1,
                (
                    _,
                    Column::Plain(_)
                    | Column::Computed(_)
                    | Column::Exact { .. }
                    | Column::Set { .. },
                ) => 0,
            },
            Self::Times(..) | Self::Clock(..) | Self::Met(_) => 2,
            Self::Any(_) => 3,
            Self::Search(_) => 4,
            Self::Unmet(_) => 5,
        }
    }

    /// Whether no later query has the same part.
    pub(super) fn has_clock(&self) -> bool {
        match self {
            Self::Clock(..) => true,
            Self::Any(some) => some.iter().any(Condition::has_clock),
            Self::Met(_) | Self::Times(..) | Self::Unmet(_) | Self::Search(_) => false,
        }
    }
}

/// The parts of a condition. Comparisons of times in the same column are one part.
pub(super) fn parts(condition: &Condition<Column>) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    split(condition, &mut parts);
    parts
}

fn split<'a>(condition: &'a Condition<Column>, parts: &mut Vec<Part<'a>>) {
    match condition {
        Condition::All(all) => all.iter().for_each(|one| split(one, parts)),
        Condition::Any(any) => parts.push(Part::Any(any)),
        Condition::Is(column, test) => match (excluded(test), test, column) {
            (Some(test), ..) => parts.push(Part::Unmet(Condition::Is(*column, test))),
            (None, Test::Time(..), Column::Plain(column)) => {
                let same = parts.iter_mut().find_map(|part| match part {
                    Part::Times(of, Condition::All(times)) if of == column => Some(times),
                    _ => None,
                });
                match same {
                    Some(times) => times.push(condition.clone()),
                    None => {
                        let times = Condition::All(vec![condition.clone()]);
                        parts.push(Part::Times(column, times));
                    }
                }
            }
            (None, Test::Clock(..), Column::Plain(column)) => {
                parts.push(Part::Clock(column, Condition::All(vec![condition.clone()])));
            }
            _ => parts.push(Part::Met(condition.clone())),
        },
    }
}

/// The test whose rows `test` excludes; `None` when it excludes no values.
fn excluded(test: &Test) -> Option<Test> {
    match test {
        Test::Text(Membership::None, texts) => Some(Test::Text(Membership::Any, texts.clone())),
        Test::Exact(Membership::None, texts) => Some(Test::Exact(Membership::Any, texts.clone())),
        Test::Tags(Membership::None, tags) => Some(Test::Tags(Membership::Any, tags.clone())),
        Test::Ids(Membership::None, ids) => Some(Test::Ids(Membership::Any, ids.clone())),
        Test::Codes(Membership::None, codes) => Some(Test::Codes(Membership::Any, codes.clone())),
        Test::Time(Comparison::NotEqual, time) => Some(Test::Time(Comparison::Equal, *time)),
        Test::Clock(Comparison::NotEqual, time) => Some(Test::Clock(Comparison::Equal, *time)),
        Test::Millis(Comparison::NotEqual, millis) => {
            Some(Test::Millis(Comparison::Equal, *millis))
        }
        Test::Contains(_)
        | Test::Text(..)
        | Test::Exact(..)
        | Test::Tags(..)
        | Test::Ids(..)
        | Test::Codes(..)
        | Test::Flag(_)
        | Test::Time(..)
        | Test::Clock(..)
        | Test::Millis(..) => None,
    }
}
