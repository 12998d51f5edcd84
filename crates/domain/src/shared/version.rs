//! Versions of a record.

/// Grows with every change of a record. The same id and the same version always mean the same
/// content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(pub i64);

impl Version {
    /// The first version of a record whose id was never used before.
    pub const FIRST: Self = Self(1);

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
