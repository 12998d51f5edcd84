//! Waits for the query of another list.

use std::time::Duration;

use event_listener::{EventListener, Listener as _};
use patrol_domain::StoreError;

use crate::engine::{Abort, cancelled, count_as_work, is_cancelled};

/// How long a list waits for the query of another one before it checks whether it is cancelled.
const WAIT: Duration = Duration::from_millis(20);

/// Waits for the query of another list, at most [`WAIT`]. Fails when this list is cancelled.
pub(super) fn wait(others: EventListener) -> Result<(), Abort<StoreError>> {
    count_as_work(|| {
        others.wait_timeout(WAIT);
    });
    check_cancelled()
}

/// Fails when the list is cancelled.
pub(super) fn check_cancelled() -> Result<(), Abort<StoreError>> {
    if is_cancelled() { Err(cancelled()) } else { Ok(()) }
}
