//! The effects of requests with an `Idempotency-Key`.

use patrol_domain::{EditError, event::Origin, ids::Uuid};

use crate::{
    Connection,
    stored::{Abort, idempotency},
};

/// Stores that the request, if it has a key, changed these records.
///
/// # Errors
/// `Superseded` when another request has taken the key; those of the database.
pub(crate) async fn store_effect(
    conn: &impl Connection,
    by: &Origin,
    records: &[Uuid],
) -> Result<(), Abort<EditError>> {
    let Some(request) = &by.keyed else { return Ok(()) };
    match conn.execute(idempotency::store_effect(request, records, by.at)).await? {
        0 => Err(EditError::Superseded.into()),
        _ => Ok(()),
    }
}
