//! Conditions that select the records of a list.

use crate::shared::{ids::Uuid, timestamp::Timestamp};

/// A condition over the properties `P`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition<P> {
    /// All of these hold; true when empty.
    All(Vec<Self>),
    /// At least one of these holds; false when empty.
    Any(Vec<Self>),
    /// The property passes the test.
    Is(P, Test),
}

impl<P> Condition<P> {
    /// The same condition, with each property converted by `property`.
    #[must_use]
    pub fn map<Q>(self, property: fn(P) -> Q) -> Condition<Q> {
        let map = |some: Vec<Self>| some.into_iter().map(|one| one.map(property)).collect();
        match self {
            Self::All(all) => Condition::All(map(all)),
            Self::Any(any) => Condition::Any(map(any)),
            Self::Is(of, test) => Condition::Is(property(of), test),
        }
    }

    /// Whether the condition has a [`Test::Clock`].
    #[must_use]
    pub fn has_clock(&self) -> bool {
        match self {
            Self::All(some) | Self::Any(some) => some.iter().any(Self::has_clock),
            Self::Is(_, test) => matches!(test, Test::Clock(..)),
        }
    }
}

/// A test of one property. Null passes only [`Membership::None`] and [`Comparison::NotEqual`]. A set
/// passes `Any` when it contains at least one of the values, and `None` when it contains none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Test {
    /// A text that contains this folded text.
    Contains(String),
    /// A text whose folded form is, or is not, one of these.
    Text(Membership, Vec<String>),
    /// A text that is, or is not, exactly one of these.
    Exact(Membership, Vec<String>),
    /// Tags, compared exactly.
    Tags(Membership, Vec<String>),
    /// An id, or a set of ids.
    Ids(Membership, Vec<Uuid>),
    /// An enumeration, by its stored codes.
    Codes(Membership, Vec<i16>),
    /// A flag that has this value.
    Flag(bool),
    /// A time, compared with this one.
    Time(Comparison, Timestamp),
    /// A time, compared with one that moves with the clock. No later query has the same test, so stores
    /// keep nothing for it.
    Clock(Comparison, Timestamp),
    /// A duration in milliseconds, compared with this one.
    Millis(Comparison, i64),
}

/// Whether a value has to be one of the given values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Membership {
    /// Equal to at least one of the given values.
    Any,
    /// Different from all given values.
    None,
}

/// How the stored time or duration has to compare with the given one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`: the same millisecond.
    Equal,
    /// `ne`: another millisecond, or null.
    NotEqual,
    /// `gt`: later.
    Greater,
    /// `gte`: later or the same.
    GreaterOrEqual,
    /// `lt`: earlier.
    Less,
    /// `lte`: earlier or the same.
    LessOrEqual,
}
