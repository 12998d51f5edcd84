//! Versions of a record.

/// Grows with every change of one record. Equal versions of an id mean equal content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version(pub i64);

/// A record and the version in which it was read or written.
#[derive(Clone, PartialEq, Debug)]
pub struct Versioned<T> {
    /// The record.
    pub record: T,
    /// Its version.
    pub version: Version,
}
