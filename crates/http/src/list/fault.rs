//! Faults of list parameters.

use std::borrow::Cow;

use patrol_json::fields::Expected;

use crate::error::{Code, Detail};

/// A fault of a parameter. All faults are reported together under `input.data.invalid`, in the
/// order of the query string, with the parameter as identifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// `data.type.invalid`: the value has another type than this.
    Type(Expected),
    /// `validation.enum.failed`: not one of these enumeration values, sort properties, directions
    /// or operators.
    NotAmong(Vec<&'static str>),
    /// `validation.range.failed`: below the first or above the second.
    Outside(u64, u64),
    /// `validation.length.failed`: the query asks for more than this, see `docs/api/lists.md`.
    TooMany(usize),
    /// `validation.notnull.failed`: `in:` or `nin:` without a value.
    Nothing,
    /// `validation.unique.failed`: given twice where once is allowed.
    Repeated,
    /// `validation.characters.failed`: contains U+0000, which no stored text has.
    Characters,
}

impl Fault {
    /// The entry in `details`.
    pub(crate) fn of(self, parameter: &'static str) -> Detail {
        let (code, args): (_, Vec<Cow<'static, str>>) = match self {
            Self::Type(expected) => (Code::TypeInvalid, vec![expected.name().into()]),
            Self::NotAmong(names) => (Code::Enum, names.into_iter().map(Cow::from).collect()),
            Self::Outside(min, max) => {
                (Code::Range, vec![min.to_string().into(), max.to_string().into()])
            }
            Self::TooMany(max) => (Code::Length, vec!["0".into(), max.to_string().into()]),
            Self::Nothing => (Code::NotNull, Vec::new()),
            Self::Repeated => (Code::Unique, Vec::new()),
            Self::Characters => (Code::Characters, Vec::new()),
        };
        Detail::new(code, parameter).expecting(args)
    }
}
