//! What can be wrong with what a client sent.

use std::fmt;

/// The place of a field, as the interface writes it: `steps[0].actions[2].type`. Borrowed, so that
/// a walk over a valid body builds no text.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The whole body.
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

/// The rule that a field breaks (decisions 2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Null or missing.
    NotNull,
    /// Given where nothing may be: a time or a result that does not fit the state. Only the data
    /// set can break it, since the API takes neither.
    Null,
    /// Not one of the allowed values.
    Enum(&'static [&'static str]),
    /// Shorter or longer than allowed: characters of a text, elements of a list.
    Length {
        /// Least length.
        min: usize,
        /// Greatest length.
        max: usize,
    },
    /// Below or above what is allowed.
    Range {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// Not an email address.
    Email,
    /// Not a language tag.
    Language,
    /// Holds a character that is not allowed: U+0000.
    Characters,
    /// Another record has this value already.
    Unique,
    /// Names a record that does not exist or does not belong here.
    Reference,
    /// The end lies before the start.
    Period,
    /// Not an image that can be kept.
    Image,
}

/// One field that breaks one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The field's place, as [`Path`] writes it; empty for the body as a whole.
    pub identifier: String,
    /// The rule it breaks.
    pub rule: Rule,
}

/// The most faults that are told of one body. A body of a million wrong elements must not become an
/// answer a hundred times its size.
pub const MOST_FAULTS: usize = 1000;

/// Collects faults in the order in which fields are looked at, the first [`MOST_FAULTS`] of them.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Notes that the field at `path` breaks `rule`.
    pub fn push(&mut self, path: &Path<'_>, rule: Rule) {
        if self.0.len() < MOST_FAULTS {
            self.0.push(Fault { identifier: path.to_string(), rule });
        }
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was found, in order.
    #[must_use]
    pub fn into_vec(self) -> Vec<Fault> {
        self.0
    }

    /// `value` when nothing was found, else the refusal that lists the faults.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] when there are faults.
    pub fn or<T>(self, value: T) -> Result<T, Refusal> {
        if self.0.is_empty() { Ok(value) } else { Err(Refusal::Invalid(self.0)) }
    }
}

/// Why the domain refuses a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The state of the record does not allow it; names the member that holds the state, as
    /// [`Path`] writes it.
    State(String),
    /// The caller may not change this record.
    Denied,
    /// Fields break rules; never empty.
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
