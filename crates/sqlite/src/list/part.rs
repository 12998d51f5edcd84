//! The parts of a condition that have sets of rows of their own.

use patrol_domain::list::{Comparison, Condition, Membership, Test};
use patrol_stored::list::Column;

use super::{ListTable, rows::test, statement::Sql};

/// A condition that has a set of its own.
pub(super) enum Part<'a, F> {
    /// The rows that meet the condition.
    Met(Condition<F>),
    /// All rows but those that meet the condition.
    Unmet(Condition<F>),
    /// The rows that meet at least one of these.
    Any(&'a [Condition<F>]),
    /// The rows that contain the term of the quick search.
    Search(&'a str),
}

impl<F: Copy> Part<'_, F> {
    /// The condition as a test of one row. The rows that pass that of `Unmet` have to be excluded.
    pub(super) fn test<L: ListTable<Filter = F>>(&self) -> Sql {
        match self {
            Self::Met(condition) | Self::Unmet(condition) => test::<L>(condition, None),
            Self::Any(some) => test::<L>(&Condition::Any(some.to_vec()), None),
            Self::Search(term) => test::<L>(&Condition::All(Vec::new()), Some(term)),
        }
    }

    /// The smaller, the fewer rows the condition is expected to select.
    pub(super) fn cost<L: ListTable<Filter = F>>(&self) -> u8 {
        match self {
            Self::Met(Condition::Is(filter, test)) => match (test, L::column(*filter)) {
                (Test::Contains(_), _) => 4,
                (_, Column::Few { .. } | Column::Condition(_)) => 1,
                (_, Column::Plain(_) | Column::Set { .. }) => 0,
            },
            // Times.
            Self::Met(_) => 2,
            Self::Any(_) => 3,
            Self::Search(_) => 4,
            Self::Unmet(_) => 5,
        }
    }
}

/// The conditions that have sets of their own. Comparisons of times have one together.
pub(super) fn parts<F: Copy>(condition: &Condition<F>) -> Vec<Part<'_, F>> {
    let mut parts = Vec::new();
    let mut times = Vec::new();
    split(condition, &mut parts, &mut times);
    if !times.is_empty() {
        parts.push(Part::Met(Condition::All(times)));
    }
    parts
}

fn split<'a, F: Copy>(
    condition: &'a Condition<F>,
    parts: &mut Vec<Part<'a, F>>,
    times: &mut Vec<Condition<F>>,
) {
    match condition {
        Condition::All(all) => all.iter().for_each(|one| split(one, parts, times)),
        Condition::Any(any) => parts.push(Part::Any(any)),
        Condition::Is(filter, test) => match excluded(test) {
            Some(test) => parts.push(Part::Unmet(Condition::Is(*filter, test))),
            None if matches!(test, Test::Time(..)) => times.push(condition.clone()),
            None => parts.push(Part::Met(condition.clone())),
        },
    }
}

/// The test whose rows `test` excludes; `None` when it excludes no values.
fn excluded(test: &Test) -> Option<Test> {
    match test {
        Test::Text(Membership::None, texts) => Some(Test::Text(Membership::Any, texts.clone())),
        Test::Tags(Membership::None, tags) => Some(Test::Tags(Membership::Any, tags.clone())),
        Test::Ids(Membership::None, ids) => Some(Test::Ids(Membership::Any, ids.clone())),
        Test::Codes(Membership::None, codes) => Some(Test::Codes(Membership::Any, codes.clone())),
        Test::Time(Comparison::NotEqual, time) => Some(Test::Time(Comparison::Equal, *time)),
        Test::Contains(_)
        | Test::Text(..)
        | Test::Tags(..)
        | Test::Ids(..)
        | Test::Codes(..)
        | Test::Flag(_)
        | Test::Time(..) => None,
    }
}
