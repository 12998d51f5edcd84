//! What can be wrong with a parameter of a list.

use std::borrow::Cow;

use patrol_json::fields::Expected;

use crate::error::{Code, Detail};

/// What is wrong with a parameter. All faults are answered together under `input.data.invalid`, in
/// the order of the query string, each with the parameter as its identifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// `data.type.invalid`: not of this type.
    Type(Expected),
    /// `validation.enum.failed`: not one of these. Told of values of an enumeration, of sort
    /// properties and directions, and of an operator that the parameter does not have, with those
    /// that it has.
    NotAmong(Vec<&'static str>),
    /// `validation.range.failed`: below 0 or above this.
    Above(u64),
    /// `validation.length.failed`: the query asks for more than this many, see [`super::bounds`].
    TooMany(usize),
    /// `validation.notnull.failed`: `in:` or `nin:` with nothing behind it.
    Nothing,
    /// `validation.unique.failed`: stands a second time where it may stand once.
    Repeated,
    /// `validation.characters.failed`: holds U+0000, which no stored text does.
    Characters,
}

impl Fault {
    /// The entry in the details of the answer.
    pub(crate) fn of(self, parameter: &'static str) -> Detail {
        let (code, args): (_, Vec<Cow<'static, str>>) = match self {
            Self::Type(expected) => (Code::TypeInvalid, vec![expected.name().into()]),
            Self::NotAmong(names) => (Code::Enum, names.into_iter().map(Cow::from).collect()),
            Self::Above(max) => (Code::Range, vec!["0".into(), max.to_string().into()]),
            Self::TooMany(max) => (Code::Length, vec!["0".into(), max.to_string().into()]),
            Self::Nothing => (Code::NotNull, Vec::new()),
            Self::Repeated => (Code::Unique, Vec::new()),
            Self::Characters => (Code::Characters, Vec::new()),
        };
        Detail::new(code, parameter).expecting(args)
    }
}
