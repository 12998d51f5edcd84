//! Faults of the parameters of lists and figures.

use std::borrow::Cow;

use patrol_record::json::fields::Expected;

use crate::error::{Code, Detail};

/// A fault of a parameter. All faults are reported together under `input.data.invalid`, in the
/// order of the query string, with the parameter as identifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ParameterFault {
    /// `data.type.invalid`: the value is not of this type.
    Type(Expected),
    /// `validation.enum.failed`: not one of these allowed enumeration values, sort properties,
    /// directions or operators.
    NotOneOf(Vec<&'static str>),
    /// `validation.range.failed`: below the first number or above the second.
    OutOfRange(u64, u64),
    /// `validation.length.failed`: more filters, values or sorts than this number; see
    /// `docs/api/lists.md`.
    TooMany(usize),
    /// `validation.notnull.failed`: `in:` or `nin:` without a value.
    NoValues,
    /// `validation.unique.failed`: a parameter that may occur once is repeated.
    Repeated,
    /// `validation.characters.failed`: contains U+0000, which no stored text contains.
    Characters,
}

impl ParameterFault {
    /// The entry in `details`.
    pub(crate) fn into_detail(self, parameter: &'static str) -> Detail {
        let (code, args): (_, Vec<Cow<'static, str>>) = match self {
            Self::Type(expected) => (Code::TypeInvalid, vec![expected.name().into()]),
            Self::NotOneOf(names) => (Code::Enum, names.into_iter().map(Cow::from).collect()),
            Self::OutOfRange(min, max) => {
                (Code::Range, vec![min.to_string().into(), max.to_string().into()])
            }
            Self::TooMany(max) => (Code::Length, vec!["0".into(), max.to_string().into()]),
            Self::NoValues => (Code::NotNull, Vec::new()),
            Self::Repeated => (Code::Unique, Vec::new()),
            Self::Characters => (Code::Characters, Vec::new()),
        };
        Detail::new(code, parameter).with_args(args)
    }
}
