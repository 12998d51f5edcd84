//! The log of changes.

use patrol_domain::event::Origin;
use patrol_stored::{
    Abort,
    event::{Change, Portion, Written},
};

use crate::{Dialect, Entity};

/// Appends the event of each change that changes anything, and counts the changes in the revision of
/// their aggregate. A change without an event or a history record, such as a PUT of the stored content,
/// is not counted, because the caches of lists stay valid.
pub(crate) async fn append<T: Entity, E: Send>(
    conn: &impl Dialect,
    changes: &[Change<'_, T>],
    by: &Origin,
) -> Result<(), Abort<E>> {
    let (mut some, mut counted) = (Portion::default(), 0);
    for change in changes {
        let event = Written::of(change, by)?;
        counted += i64::from(T::HAS_HISTORY || event.is_some());
        if let Some(full) = event.and_then(|event| some.push(event)) {
            conn.insert_events(full).await?;
        }
    }
    conn.insert_events(some.into_rest()).await?;
    if counted > 0 {
        conn.raise_revision(T::AGGREGATE, counted).await?;
    }
    Ok(())
}
