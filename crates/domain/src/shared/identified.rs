//! Kinds of records that have an id.

use super::{
    ids::Uuid,
    version::{Version, Versioned},
};

/// A kind of record that has an id.
pub trait Identified: Send + Sync + 'static {
    /// The type of its id.
    type Id: Copy + Into<Uuid> + Send + Sync + 'static;

    /// Whether every change gives the record another version. If false, the version of the record
    /// is always [`Version::NONE`].
    const HAS_VERSIONS: bool = false;
}

impl<T: Identified> Versioned<T> {
    /// The record after a change, with the next version.
    #[must_use]
    pub fn changed_to(&self, record: T) -> Self {
        let version = if T::HAS_VERSIONS { self.version.next() } else { Version::NONE };
        Self { record, version }
    }
}
