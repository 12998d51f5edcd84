//! Enumeration values, written by name.

use patrol_domain::Named;
use serde::{Serialize, Serializer};

/// Writes the name of a value.
///
/// # Errors
/// Those of the serializer.
pub fn name<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

/// Writes the name of a value, or null.
///
/// # Errors
/// Those of the serializer.
pub fn name_or_null<T: Named, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map(T::name).serialize(serializer)
}
