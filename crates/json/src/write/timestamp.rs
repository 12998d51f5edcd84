//! Times: `2026-01-31T08:00:00.000Z` (decisions 1).

use patrol_domain::Timestamp;
use serde::{Serialize, Serializer};

struct Utc(Timestamp);

impl Serialize for Utc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // To a JSON writer this goes without a text in between.
        serializer.collect_str(&self.0)
    }
}

/// Writes a time.
///
/// # Errors
/// What the serializer says.
pub fn timestamp<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    Utc(*time).serialize(serializer)
}

/// Writes a time, or null.
///
/// # Errors
/// What the serializer says.
pub fn timestamp_or_null<S: Serializer>(
    time: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(Utc).serialize(serializer)
}
