//! Values of filters: operators, and values without an operator.

use std::hash::Hash;

use patrol_domain::{
    Timestamp, ids,
    ids::Uuid,
    list::{Comparison, Membership, Test},
    shared::{check, text::fold},
};
use patrol_record::json::fields::Expected;

use super::{declaration::Kind, fault::ParameterFault};

/// The operator before the colon of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Eq,
    Ne,
    In,
    Nin,
    Like,
    Gt,
    Gte,
    Lt,
    Lte,
}

impl Operator {
    const ALL: [(&'static str, Self); 9] = [
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("in", Self::In),
        ("nin", Self::Nin),
        ("like", Self::Like),
        ("gt", Self::Gt),
        ("gte", Self::Gte),
        ("lt", Self::Lt),
        ("lte", Self::Lte),
    ];

    /// The operator before the first colon and the rest of the value; the whole value when it does
    /// not start with an operator.
    fn split(value: &str) -> (Option<Self>, &str) {
        let operator = value.split_once(':').and_then(|(prefix, rest)| {
            let found = Self::ALL.iter().find(|(name, _)| *name == prefix);
            found.map(|(_, operator)| (Some(*operator), rest))
        });
        operator.unwrap_or((None, value))
    }
}

impl Kind {
    /// The operators of this kind of filter.
    const fn allowed(self) -> &'static [Operator] {
        use Operator::{Eq, Gt, Gte, In, Like, Lt, Lte, Ne, Nin};
        match self {
            Self::Text | Self::Exact => &[Eq, Ne, In, Nin, Like],
            Self::Enumeration(..) | Self::Name(_) | Self::Id | Self::Tag => &[Eq, Ne, In, Nin],
            Self::Boolean => &[Eq, Ne],
            Self::Time => &[Eq, Ne, Gt, Gte, Lt, Lte],
        }
    }

    /// The names of the operators.
    pub(crate) fn operator_names(self) -> Vec<&'static str> {
        self.names(true)
    }

    /// The names of the operators that this kind does not have.
    pub(crate) fn other_operator_names(self) -> Vec<&'static str> {
        self.names(false)
    }

    fn names(self, allowed: bool) -> Vec<&'static str> {
        let chosen = |(_, operator): &&(_, _)| self.allowed().contains(operator) == allowed;
        Operator::ALL.iter().filter(chosen).map(|(name, _)| *name).collect()
    }

    /// The operator for a value without one.
    fn default_operator(self, value: &str) -> Operator {
        match self {
            Self::Text => Operator::Like,
            Self::Boolean | Self::Time => Operator::Eq,
            Self::Enumeration(..) | Self::Name(_) | Self::Exact | Self::Id | Self::Tag => {
                if value.contains(',') { Operator::In } else { Operator::Eq }
            }
        }
    }
}

/// A parsed filter value.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Value {
    /// The resulting test.
    pub(super) test: Test,
    /// The number of different values of `in:` or `nin:`; 0 for other operators.
    pub(super) listed: usize,
}

impl Value {
    const fn of(test: Test) -> Self {
        Self { test, listed: 0 }
    }
}

/// Parses the value of a filter.
pub(super) fn parse(kind: Kind, value: &str) -> Result<Value, ParameterFault> {
    let (prefix, operand) = Operator::split(value);
    let operator = prefix.unwrap_or_else(|| kind.default_operator(value));
    if !kind.allowed().contains(&operator) {
        return Err(ParameterFault::NotOneOf(kind.operator_names()));
    }
    if operand.contains('\0') && matches!(kind, Kind::Text | Kind::Exact | Kind::Tag) {
        return Err(ParameterFault::Characters);
    }
    let as_sent = |text: &str| Ok(text.to_owned());
    match kind {
        Kind::Text | Kind::Exact if operator == Operator::Like => {
            Ok(Value::of(Test::Contains(fold(operand))))
        }
        Kind::Text => members(operator, operand, Test::Text, |text| Ok(fold(text))),
        Kind::Enumeration(names, codes) => {
            members(operator, operand, Test::Codes, |name| code(names, codes, name))
        }
        Kind::Name(names) => members(operator, operand, Test::Text, |name| {
            let known = names.contains(&name).then(|| fold(name));
            known.ok_or_else(|| ParameterFault::NotOneOf(names.to_vec()))
        }),
        Kind::Id => members(operator, operand, Test::Ids, id),
        Kind::Exact => members(operator, operand, Test::Exact, as_sent),
        Kind::Tag => members(operator, operand, Test::Tags, as_sent),
        Kind::Boolean => Ok(Value::of(Test::Flag(boolean(operand)? == (operator == Operator::Eq)))),
        Kind::Time => {
            let comparison = match operator {
                Operator::Ne => Comparison::NotEqual,
                Operator::Gt => Comparison::Greater,
                Operator::Gte => Comparison::GreaterOrEqual,
                Operator::Lt => Comparison::Less,
                Operator::Lte => Comparison::LessOrEqual,
                Operator::Eq | Operator::In | Operator::Nin | Operator::Like => Comparison::Equal,
            };
            let time =
                Timestamp::parse(operand).ok_or(ParameterFault::Type(Expected::Timestamp))?;
            Ok(Value::of(Test::Time(comparison, time)))
        }
    }
}

/// The values of a membership operator: for `in` and `nin` a list, without duplicates; for `eq` and
/// `ne` one value, which may contain commas.
fn members<T: Clone + Eq + Hash>(
    operator: Operator,
    operand: &str,
    test: fn(Membership, Vec<T>) -> Test,
    read: impl Fn(&str) -> Result<T, ParameterFault>,
) -> Result<Value, ParameterFault> {
    let membership = match operator {
        Operator::Ne | Operator::Nin => Membership::None,
        _ => Membership::Any,
    };
    if !matches!(operator, Operator::In | Operator::Nin) {
        return Ok(Value::of(test(membership, vec![read(operand)?])));
    }
    if operand.is_empty() {
        return Err(ParameterFault::NoValues);
    }
    let values: Vec<_> = operand.split(',').map(read).collect::<Result<_, _>>()?;
    let values = check::distinct(&values);
    Ok(Value { listed: values.len(), test: test(membership, values) })
}

fn code(names: &[&'static str], codes: &[i16], name: &str) -> Result<i16, ParameterFault> {
    let at = names.iter().position(|known| *known == name);
    at.and_then(|at| codes.get(at).copied()).ok_or_else(|| ParameterFault::NotOneOf(names.to_vec()))
}

/// Parses a UUID: hyphenated, any case.
pub(crate) fn id(text: &str) -> Result<Uuid, ParameterFault> {
    ids::parse(text).ok_or(ParameterFault::Type(Expected::Uuid))
}

/// Parses `true` or `false`.
pub(crate) fn boolean(text: &str) -> Result<bool, ParameterFault> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(ParameterFault::Type(Expected::Boolean)),
    }
}
