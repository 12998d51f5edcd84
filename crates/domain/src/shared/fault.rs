//! Faults: what is wrong with the input of a client.

use std::fmt;

/// The path of a field as the API writes it: `steps[0].actions[2].type`. Borrows its parent, so
/// that a valid body costs no allocation.
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
    /// The member `name` of the object at this place.
    #[must_use]
    pub const fn field(&'a self, name: &'a str) -> Path<'a> {
        Path::Field(self, name)
    }

    /// The element `at` of the array at this place.
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
    /// A value that has to be absent: a time or a result that does not fit the state. Only the data
    /// set can contain one, since the API accepts neither.
    Null,
    /// Not one of the allowed names, which are given here.
    Enum(&'static [&'static str]),
    /// Shorter or longer than allowed: characters of a text or elements of a list.
    Length {
        /// The least length.
        min: usize,
        /// The greatest length.
        max: usize,
    },
    /// Below or above what is allowed.
    Range {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// Not in the form of an email address.
    Email,
    /// Not in the form of a language tag.
    Language,
    /// Contains U+0000, the only character that is refused.
    Characters,
    /// Another record already has this value.
    Unique,
    /// Refers to a record that does not exist or does not belong here.
    Reference,
    /// The end lies before the start.
    Period,
    /// Not an image that can be stored.
    Image,
}

/// One field that breaks one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The path of the field as [`Path`] writes it; empty for the whole body.
    pub identifier: String,
    /// The broken rule, with its bounds or allowed values.
    pub rule: Rule,
}

/// The most faults reported for one body. Without this bound a body of a million wrong elements
/// would get an answer a hundred times its size.
pub const MOST_FAULTS: usize = 1000;

/// Collects faults in the order of the fields, up to [`MOST_FAULTS`].
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
        if self.0.len() < MOST_FAULTS {
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

    /// `value` when there are no faults.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the faults.
    pub fn or<T>(self, value: T) -> Result<T, Refusal> {
        if self.0.is_empty() { Ok(value) } else { Err(Refusal::Invalid(self.0)) }
    }
}

/// Why the domain refuses a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The state of the record does not allow the change. Contains the path of the member that
    /// holds the state.
    State(String),
    /// The caller may not change this record.
    Denied,
    /// Fields break rules; there is at least one fault.
    Invalid(Vec<Fault>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_faults_is_cut_and_still_a_refusal() {
        let mut faults = Faults::new();
        for at in 0..=MOST_FAULTS {
            faults.push(&Path::Root.index(at), Rule::NotNull);
        }
        assert!(matches!(
            faults.or(()),
            Err(Refusal::Invalid(faults)) if faults.len() == MOST_FAULTS
        ));
    }

    #[test]
    fn a_path_reads_as_the_interface_writes_it() {
        let steps = Path::Root.field("steps");
        let step = steps.index(0);
        let actions = step.field("actions");
        let action = actions.index(2);
        assert_eq!(action.field("type").to_string(), "steps[0].actions[2].type");
        assert_eq!(Path::Root.index(3).field("email").to_string(), "[3].email");
        assert_eq!(Path::Root.to_string(), "");
    }
}
