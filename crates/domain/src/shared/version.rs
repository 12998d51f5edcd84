//! Versions of a record.

use super::{error::EditError, timestamp::Timestamp};

/// Grows with every change of a record. The same id and the same version always mean the same
/// content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(pub i64);

impl Version {
    /// The version of every record of a kind without versions.
    pub const NONE: Self = Self(0);
    /// The first version of a record whose id was never used before.
    pub const FIRST: Self = Self(1);

    /// The version of a record that a client creates at this time: the time in milliseconds. A
    /// deleted record may have had the same id. Its versions are lower than this one, so that no
    /// version is used for two contents.
    #[must_use]
    pub const fn of_new(at: Timestamp) -> Self {
        Self(at.millis())
    }

    /// Checks that a record has this version; `None` allows any.
    ///
    /// # Errors
    /// `Stale` when `expected` is another version.
    pub fn check(self, expected: Option<Self>) -> Result<(), EditError> {
        if expected.is_none_or(|expected| expected == self) {
            Ok(())
        } else {
            Err(EditError::Stale)
        }
    }

    /// The next version.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A record and its version.
#[derive(Clone, PartialEq, Debug)]
pub struct Versioned<T> {
    /// The record in this version.
    pub record: T,
    /// The version in which the record was read or written.
    pub version: Version,
}

impl<T> Versioned<T> {
    /// A record of a kind without versions.
    #[must_use]
    pub const fn unversioned(record: T) -> Self {
        Self { record, version: Version::NONE }
    }
}
