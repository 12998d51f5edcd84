//! Ids: lower case with hyphens.

use patrol_domain::ids::Uuid;
use serde::{Serialize, Serializer};

struct Hyphenated(Uuid);

impl Serialize for Hyphenated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = Uuid::encode_buffer();
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut buffer))
    }
}

/// Writes an id of any kind of record.
///
/// # Errors
/// Those of the serializer.
pub fn id<T: Copy + Into<Uuid>, S: Serializer>(id: &T, serializer: S) -> Result<S::Ok, S::Error> {
    Hyphenated((*id).into()).serialize(serializer)
}

/// Writes an id, or null.
///
/// # Errors
/// Those of the serializer.
pub fn id_or_null<T: Copy + Into<Uuid>, S: Serializer>(
    id: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    id.map(|id| Hyphenated(id.into())).serialize(serializer)
}

/// Writes a list of ids.
///
/// # Errors
/// Those of the serializer.
pub fn ids<T: Copy + Into<Uuid>, S: Serializer>(
    ids: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ids.iter().map(|id| Hyphenated((*id).into())))
}
