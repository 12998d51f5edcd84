//! Sets of rows.

use diesel::{QueryResult, result::Error};
use roaring::RoaringBitmap;

/// Keys of rows.
pub type Rows = RoaringBitmap;

/// The set of these keys. A set is made from sorted keys twice as fast.
#[must_use]
pub fn row_set(mut keys: Vec<u32>) -> Rows {
    keys.sort_unstable();
    Rows::from_iter(keys)
}

/// The key of a row in memory.
///
/// # Errors
/// When it has more than 32 bits: a database that has had four billion rows.
pub fn row_key(row: i64) -> QueryResult<u32> {
    let many = "the key of a row has more than 32 bits";
    u32::try_from(row).map_err(|_| Error::DeserializationError(many.into()))
}
