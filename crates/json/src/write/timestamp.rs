//! Times: `2026-01-31T08:00:00.000Z`.

use patrol_domain::Timestamp;
use serde::{Serialize, Serializer};

struct Utc(Timestamp);

impl Serialize for Utc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Writes into the output without a temporary string.
        serializer.collect_str(&self.0)
    }
}

/// Writes a time.
///
/// # Errors
/// Those of the serializer.
pub fn timestamp<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    Utc(*time).serialize(serializer)
}

/// Writes a time, or null.
///
/// # Errors
/// Those of the serializer.
pub fn timestamp_or_null<S: Serializer>(
    time: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(Utc).serialize(serializer)
}
