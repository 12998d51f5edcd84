//! Members that are stored as they were sent.

use serde::{Serializer, ser::Error, ser::SerializeMap};
use serde_json::value::RawValue;

/// Writes members that are stored as name and JSON text, as [`crate::fields::Fields::further`]
/// reads them; for `#[serde(flatten)]`.
///
/// # Errors
/// When a text is not JSON, and those of the serializer.
pub fn further<S: Serializer>(
    members: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(members.len()))?;
    for (name, text) in members {
        let value: &RawValue = serde_json::from_str(text)
            .map_err(|_| S::Error::custom("a stored member is not JSON"))?;
        map.serialize_entry(name, value)?;
    }
    map.end()
}
