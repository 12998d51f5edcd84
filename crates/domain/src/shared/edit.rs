//! The creation and the change of one record. A store runs them inside its transaction.

use super::{
    existing::{Existing, References},
    fault::Refusal,
    identified::Identified,
    version::Version,
};

/// The record to change or to delete, and the version that it must have, if any.
pub struct Target<T: Identified> {
    /// The id of the record.
    pub id: T::Id,
    /// The version that the record must have; `None` for any version.
    pub expected: Option<Version>,
}

impl<T: Identified> Target<T> {
    /// The record in any version.
    pub const fn any_version(id: T::Id) -> Self {
        Self { id, expected: None }
    }
}

/// Makes the new record from the result of the lookup. Pure: a store may call the function more than
/// once, and stores only the last result.
pub type Make<T> = Box<dyn Fn(&Existing) -> Result<T, Refusal> + Send + Sync + 'static>;

/// The result of an operation on several records, or the positions of the ids whose record does not
/// exist.
pub type Known<T> = Result<T, Vec<usize>>;

/// All records, or the positions of those that were not found.
///
/// # Errors
/// The positions, when a record was not found.
pub fn all_known<T>(found: impl IntoIterator<Item = Option<T>>) -> Known<Vec<T>> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for (at, found) in found.into_iter().enumerate() {
        match found {
            Some(record) => known.push(record),
            None => unknown.push(at),
        }
    }
    if unknown.is_empty() { Ok(known) } else { Err(unknown) }
}

/// The creation of one record, or of many.
pub struct New<T> {
    /// The records and values that the store looks up first.
    pub references: References,
    /// Makes the record from the result of the lookup.
    pub make: Make<T>,
}

/// Computes the changed record; `None` when nothing changes. Pure: a store may call the function more
/// than once, and stores only the last result.
pub type Change<T> =
    Box<dyn Fn(&T, &Existing) -> Result<Option<T>, Refusal> + Send + Sync + 'static>;

/// A change of one record, with the references that the store looks up first.
pub struct Edit<T: Identified> {
    /// The record to change.
    pub at: Target<T>,
    /// The records and values that the store looks up first.
    pub references: References,
    /// Computes the changed record from the stored record and the result of the lookup.
    pub change: Change<T>,
}
