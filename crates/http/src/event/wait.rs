//! Waits for new events.

use std::time::Duration;

use patrol_application::{Actor, Failure};
use patrol_domain::event::{EventPage, EventQuery};
use tokio::time::{Instant, sleep};

use crate::{error::ApiError, event_waiters::POLL_INTERVAL, route::Call};

/// The first page of `query` that has events. The page is empty after `wait`, when the server stops,
/// and when too many requests of the user wait already.
///
/// # Errors
/// Those of `read`; `unauthorized` or `access.denied` when the token or the permission of the user
/// ends while the request waits.
pub(super) async fn wait_for_page(
    call: &Call,
    mut query: EventQuery,
    wait: Duration,
    read: impl AsyncFn(Actor, EventQuery) -> Result<EventPage, Failure>,
) -> Result<EventPage, ApiError> {
    let end = Instant::now() + wait;
    let waiters = &call.shared().event_waiters;
    let permit = if wait.is_zero() { None } else { waiters.acquire(call.caller().user).await };
    let mut actor = call.actor();
    loop {
        let page = read(actor, query.clone()).await?;
        if !page.events.is_empty() || permit.is_none() || Instant::now() >= end {
            return Ok(page);
        }
        query.after = page.next;
        if page.more && !call.shared().health.is_stopping() {
            continue;
        }
        loop {
            if call.shared().health.is_stopping() || Instant::now() >= end {
                return Ok(page);
            }
            sleep(POLL_INTERVAL.min(end.saturating_duration_since(Instant::now()))).await;
            if waiters.newest(call.actor(), &call.services().events).await? > page.next {
                break;
            }
        }
        actor = call.authorize_again().await?;
    }
}
