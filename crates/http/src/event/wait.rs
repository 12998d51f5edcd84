//! Waits for new events. Any number of waiting requests asks the store only a few times a second.

use std::time::Duration;

use patrol_application::{Actor, EventService, Failure};
use patrol_domain::event::{EventPage, EventQuery};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use crate::route::{Call, Endpoint};

/// How old the known position of the newest event may be.
const FRESH: Duration = Duration::from_millis(200);

/// The position of the newest event, for all waiting requests of the process.
#[derive(Default)]
pub(crate) struct Newest(Mutex<Option<(Instant, i64)>>);

impl Newest {
    /// The position of the newest event, at most [`FRESH`] old.
    ///
    /// # Errors
    /// When the store fails.
    async fn position(&self, actor: Actor, events: &EventService) -> Result<i64, Failure> {
        let mut known = self.0.lock().await;
        if let Some((at, position)) = *known
            && at.elapsed() < FRESH
        {
            return Ok(position);
        }
        let position = events.newest(actor).await?;
        *known = Some((Instant::now(), position));
        Ok(position)
    }
}

/// The first page of `query` that has events; an empty one after `wait`, and when the server stops.
pub(super) async fn found<E: Endpoint>(
    call: &Call<E>,
    mut query: EventQuery,
    wait: Duration,
    read: impl AsyncFn(EventQuery) -> Result<EventPage, Failure>,
) -> Result<EventPage, Failure> {
    let end = Instant::now() + wait;
    loop {
        let page = read(query.clone()).await?;
        if !page.events.is_empty() || Instant::now() >= end {
            return Ok(page);
        }
        query.after = page.next;
        if page.more {
            continue;
        }
        while call.newest_event().position(call.actor(), &call.services().events).await?
            <= page.next
        {
            if call.is_stopping() || Instant::now() >= end {
                return Ok(page);
            }
            sleep(FRESH.min(end - Instant::now())).await;
        }
    }
}
