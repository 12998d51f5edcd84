//! Faults of type.

use patrol_domain::{MOST_FAULTS, Path};

/// The type that a member should have (decisions 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// An id: text in the form of decisions 1.
    Uuid,
    /// Text.
    String,
    /// A whole number of 64 bits; `2.0` is one.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A time: text in the form of RFC 3339.
    Timestamp,
    /// A list.
    Array,
    /// An object.
    Object,
}

impl Expected {
    /// The name that goes into `args`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "UUID",
            Self::String => "STRING",
            Self::Integer => "INTEGER",
            Self::Number => "NUMBER",
            Self::Boolean => "BOOLEAN",
            Self::Timestamp => "TIMESTAMP",
            Self::Array => "ARRAY",
            Self::Object => "OBJECT",
        }
    }
}

/// A member of the wrong type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeFault {
    /// The member's place; none for the body as a whole.
    pub identifier: Option<String>,
    /// What it should be.
    pub expected: Expected,
}

/// What is noted while a document is read.
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) faults: Vec<TypeFault>,
    /// The places of the first `most_unknown` members that nothing asked for.
    pub(super) unknown: Vec<String>,
    /// How many places of unknown members are kept.
    pub(super) most_unknown: usize,
}

impl Notes {
    /// Nothing noted yet.
    pub(super) const fn keeping(most_unknown: usize) -> Self {
        Self { faults: Vec::new(), unknown: Vec::new(), most_unknown }
    }

    /// Notes the first [`MOST_FAULTS`] faults; further ones change nothing for the reader.
    pub(super) fn fault(&mut self, path: &Path<'_>, expected: Expected) {
        if self.faults.len() == MOST_FAULTS {
            return;
        }
        let identifier = match path {
            Path::Root => None,
            Path::Field(..) | Path::Index(..) => Some(path.to_string()),
        };
        self.faults.push(TypeFault { identifier, expected });
    }
}
