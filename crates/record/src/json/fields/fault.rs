//! Values of the wrong JSON type.

use patrol_domain::{MAX_FAULTS, Path};

/// The type that a member should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// A hyphenated UUID in a string.
    Uuid,
    /// A string.
    String,
    /// A whole number of 64 bits; `2.0` counts as one.
    Integer,
    /// A number, whole or not.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A time in a string in the form of RFC 3339.
    Timestamp,
    /// A date and a time without a zone in a string: `2026-12-01T22:00:00`.
    LocalDateTime,
    /// A date in a string: `2026-12-01`.
    LocalDate,
    /// An array.
    Array,
    /// A JSON object.
    Object,
}

impl Expected {
    /// The name in `args` of an error, for example `UUID`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "UUID",
            Self::String => "STRING",
            Self::Integer => "INTEGER",
            Self::Number => "NUMBER",
            Self::Boolean => "BOOLEAN",
            Self::Timestamp => "TIMESTAMP",
            Self::LocalDateTime => "LOCAL_DATE_TIME",
            Self::LocalDate => "LOCAL_DATE",
            Self::Array => "ARRAY",
            Self::Object => "OBJECT",
        }
    }
}

/// A member of the wrong JSON type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeFault {
    /// The path of the member; `None` for the whole body.
    pub identifier: Option<String>,
    /// The type that it should have.
    pub expected: Expected,
}

/// The type faults and unknown members, collected while a document is read.
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) faults: Vec<TypeFault>,
    /// The paths of the first `most_unknown` unknown members.
    pub(super) unknown: Vec<String>,
    /// The most paths of unknown members to keep.
    pub(super) most_unknown: usize,
}

impl Notes {
    /// No faults and no unknown members; keeps at most `most_unknown` unknown members.
    pub(super) const fn new(most_unknown: usize) -> Self {
        Self { faults: Vec::new(), unknown: Vec::new(), most_unknown }
    }

    /// Adds a fault, up to [`MAX_FAULTS`]; a longer list does not help the client.
    pub(super) fn fault(&mut self, path: &Path<'_>, expected: Expected) {
        if self.faults.len() == MAX_FAULTS {
            return;
        }
        let identifier = match path {
            Path::Root => None,
            Path::Field(..) | Path::Index(..) => Some(path.to_string()),
        };
        self.faults.push(TypeFault { identifier, expected });
    }
}
