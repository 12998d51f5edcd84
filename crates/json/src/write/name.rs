//! Enumeration values, written by name.

use patrol_domain::Named;
use serde::Serializer;

/// Writes the name of a value.
///
/// # Errors
/// Those of the serializer.
pub fn name<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}
