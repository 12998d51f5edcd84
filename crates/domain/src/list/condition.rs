//! What a record has to meet to be in a list.

use crate::shared::{ids::Uuid, timestamp::Timestamp};

/// A condition over the properties `P`.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition<P> {
    /// All of these hold; with none of them, everything does.
    All(Vec<Self>),
    /// At least one of these holds.
    Any(Vec<Self>),
    /// The property passes the test.
    Is(P, Test),
}

/// A test of one property. On null only [`Membership::None`] and [`Comparison::NotEqual`] hold;
/// on a set, `Any` means that it has at least one of the values, `None` that it has none of them
/// (decisions 4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Test {
    /// Text that contains this folded text.
    Contains(String),
    /// Text whose folded form is, or is not, one of these.
    Text(Membership, Vec<String>),
    /// Tags, compared exactly.
    Tags(Membership, Vec<String>),
    /// Ids.
    Ids(Membership, Vec<Uuid>),
    /// Values of an enumeration, by stored code.
    Codes(Membership, Vec<i16>),
    /// A flag that is true, or false.
    Flag(bool),
    /// A time.
    Time(Comparison, Timestamp),
}

/// Whether a value is among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Membership {
    /// One of them.
    Any,
    /// None of them.
    None,
}

/// How two times compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// The same time.
    Equal,
    /// Another time.
    NotEqual,
    /// Later.
    Greater,
    /// Later or the same.
    GreaterOrEqual,
    /// Earlier.
    Less,
    /// Earlier or the same.
    LessOrEqual,
}
