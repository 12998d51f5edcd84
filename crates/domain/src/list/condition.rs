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

/// A test of one property. For null only [`Membership::None`] and [`Comparison::NotEqual`] hold. On
/// a set, `Any` holds when the set has at least one of the values, `None` when it has none of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Test {
    /// Text that contains this folded text.
    Contains(String),
    /// Text whose folded form is, or is not, one of these folded texts.
    Text(Membership, Vec<String>),
    /// Tags, compared exactly.
    Tags(Membership, Vec<String>),
    /// One id, or a set of ids.
    Ids(Membership, Vec<Uuid>),
    /// An enumeration, by its stored codes.
    Codes(Membership, Vec<i16>),
    /// A flag that has this value.
    Flag(bool),
    /// A time that compares like this with the given one.
    Time(Comparison, Timestamp),
}

/// Whether a value is among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Membership {
    /// Equal to at least one of them.
    Any,
    /// Different from each of them.
    None,
}

/// How a stored time compares with the given one.
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
