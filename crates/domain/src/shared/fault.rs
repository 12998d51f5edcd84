//! Faults: the field rules that the input of a client breaks.

use std::fmt;

use crate::schedule::RuleFault;

/// The path of a field as the API writes it: `steps[0].actions[2].type`. A path borrows its parent,
/// so that checking a valid body allocates nothing.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The whole body, with an empty path.
    Root,
    /// A member of an object.
    Field(&'a Path<'a>, &'a str),
    /// An element of an array.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// The path of the member `name` of this object.
    #[must_use]
    pub const fn field(&'a self, name: &'a str) -> Path<'a> {
        Path::Field(self, name)
    }

    /// The path of the element `at` of this array, from 0.
    #[must_use]
    pub const fn index(&'a self, at: usize) -> Path<'a> {
        Path::Index(self, at)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Field(Path::Root, name) => out.write_str(name),
            Path::Field(parent, name) => write!(out, "{parent}.{name}"),
            Path::Index(parent, at) => write!(out, "{parent}[{at}]"),
        }
    }
}

/// A rule that a field breaks. `docs/api/errors.md` has the code of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Null, or a required member is missing.
    NotNull,
    /// A value that must be absent in the given state, for example `endedAt` of a PENDING execution.
    /// Only records of the data set have such members.
    Null,
    /// Not one of these names. Empty for a time zone: there are hundreds.
    Enum(&'static [&'static str]),
    /// A text with too few or too many characters, a list with too few or too many elements, or a
    /// place on a graphic plan with too many bytes.
    Length {
        /// The smallest allowed length.
        min: usize,
        /// The largest allowed length.
        max: usize,
    },
    /// A number below `min` or above `max`.
    Range {
        /// The smallest allowed value.
        min: i64,
        /// The largest allowed value.
        max: i64,
    },
    /// `maxValue` is less than `minValue`.
    Bounds,
    /// Not in the form of an email address.
    Email,
    /// Not in the form of a language tag.
    Language,
    /// Contains U+0000, the only character that is refused.
    Characters,
    /// Another record already has this value, the body contains it twice, or the stores reserve it.
    Unique,
    /// Refers to a record that does not exist, or that this record may not refer to: for example a
    /// graphic plan of another location.
    Reference,
    /// An end before its start, an additional occurrence before the start of the schedule, an
    /// expiry in the past, or a time outside the years 1 to 9999.
    Period,
    /// Not a JPEG, PNG or WebP image that can be stored.
    Image,
    /// Not a medium of a known kind.
    Media,
    /// Not an allowed recurrence rule, or a schedule that cannot follow a series update.
    Recurrence(RuleFault),
}

/// One field that breaks one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The path of the field as [`Path`] writes it; empty for the whole body.
    pub identifier: String,
    /// The broken rule, with its bounds or allowed values.
    pub rule: Rule,
}

/// The maximum number of faults reported for one body. Without this bound the answer to a body with
/// a million wrong elements would be a hundred times the size of the body.
pub const MAX_FAULTS: usize = 1000;

/// Collects faults in the order of the fields, up to [`MAX_FAULTS`].
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// No faults yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a fault: the field at `path` breaks `rule`.
    pub fn push(&mut self, path: &Path<'_>, rule: Rule) {
        if self.0.len() < MAX_FAULTS {
            self.0.push(Fault { identifier: path.to_string(), rule });
        }
    }

    /// Whether there are no faults.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The collected faults, in order.
    #[must_use]
    pub fn into_vec(self) -> Vec<Fault> {
        self.0
    }

    /// The value that `check` returns, if it adds no faults. Without a value there MUST be a fault.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the faults.
    pub fn checked<T>(check: impl FnOnce(&mut Self) -> Option<T>) -> Result<T, Refusal> {
        let mut faults = Self::new();
        match check(&mut faults) {
            Some(value) => faults.into_result(value),
            None => Err(Refusal::Invalid(faults.0)),
        }
    }

    /// Returns `value` if there are no faults.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the faults.
    pub fn into_result<T>(self, value: T) -> Result<T, Refusal> {
        if self.0.is_empty() { Ok(value) } else { Err(Refusal::Invalid(self.0)) }
    }
}

/// Why the domain refuses a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The state of the record does not allow the change. Contains the path of the member with that
    /// state, for example `state` or `[2].role`.
    State(String),
    /// The caller may not change this record.
    Denied,
    /// Fields break rules; at least one fault.
    Invalid(Vec<Fault>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_beyond_the_maximum_are_dropped() {
        let mut faults = Faults::new();
        for at in 0..=MAX_FAULTS {
            faults.push(&Path::Root.index(at), Rule::NotNull);
        }
        assert!(matches!(
            faults.into_result(()),
            Err(Refusal::Invalid(faults)) if faults.len() == MAX_FAULTS
        ));
    }

    #[test]
    fn a_path_is_written_as_in_the_api() {
        let steps = Path::Root.field("steps");
        let step = steps.index(0);
        let actions = step.field("actions");
        let action = actions.index(2);
        assert_eq!(action.field("type").to_string(), "steps[0].actions[2].type");
        assert_eq!(Path::Root.index(3).field("email").to_string(), "[3].email");
        assert_eq!(Path::Root.to_string(), "");
    }
}
