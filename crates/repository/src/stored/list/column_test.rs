//! Tests of columns.

use patrol_domain::{
    Timestamp,
    ids::Uuid,
    list::{Comparison, Membership, Test},
};

/// A test of a column, as SQL knows it.
#[derive(Debug, Clone, Copy)]
pub enum ColumnTest<'a> {
    /// Text that contains this folded text.
    Contains(&'a str),
    /// A value, or a set, that has one of these values, or none of them.
    Among(Membership, Values<'a>),
    /// A time or a duration that the operator compares with the given one. The operator has a space on
    /// each side.
    Compares(&'static str, Values<'a>),
}

/// The values that a column is compared with.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the types say it")]
pub enum Values<'a> {
    Texts(&'a [String]),
    Ids(&'a [Uuid]),
    Codes(&'a [i16]),
    Flag(bool),
    Time(Timestamp),
    Integer(i64),
}

impl<'a> From<&'a Test> for ColumnTest<'a> {
    fn from(test: &'a Test) -> Self {
        match test {
            Test::Contains(term) => Self::Contains(term),
            Test::Text(membership, texts)
            | Test::Exact(membership, texts)
            | Test::Tags(membership, texts) => Self::Among(*membership, Values::Texts(texts)),
            Test::Ids(membership, ids) => Self::Among(*membership, Values::Ids(ids)),
            Test::Codes(membership, codes) => Self::Among(*membership, Values::Codes(codes)),
            Test::Flag(flag) => Self::Among(Membership::Any, Values::Flag(*flag)),
            Test::Time(comparison, time) | Test::Clock(comparison, time) => {
                Self::compared(*comparison, Values::Time(*time))
            }
            Test::Millis(comparison, millis) => {
                Self::compared(*comparison, Values::Integer(*millis))
            }
        }
    }
}

impl<'a> ColumnTest<'a> {
    const fn compared(comparison: Comparison, with: Values<'a>) -> Self {
        match comparison {
            Comparison::Equal => Self::Among(Membership::Any, with),
            Comparison::NotEqual => Self::Among(Membership::None, with),
            Comparison::Greater => Self::Compares(" > ", with),
            Comparison::GreaterOrEqual => Self::Compares(" >= ", with),
            Comparison::Less => Self::Compares(" < ", with),
            Comparison::LessOrEqual => Self::Compares(" <= ", with),
        }
    }
}
