//! The state that waiting requests share, so that the store is queried for the newest event only a
//! few times a second, regardless of their number.

use std::{sync::Arc, time::Duration};

use patrol_application::{Actor, EventService, Failure};
use patrol_domain::ids::UserId;
use tokio::{sync::Mutex, time::Instant};

use crate::request_limit::{RequestLimit, RequestPermit};

/// The pause between two queries for the newest event; requests in between share the last result.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The maximum number of requests of one user that wait at once in this process, because each new
/// event makes each of them read its page again.
const MAX_WAITING: usize = 16;

/// How long a request above [`MAX_WAITING`] waits for one of the others to end before it is
/// answered: without the pause, a client in a loop would send requests all the time.
const PAUSE: Duration = Duration::from_secs(1);

/// The state of the waiting requests of the process.
pub(crate) struct EventWaiters {
    /// The position of the newest event, and when it was read.
    newest: Mutex<Option<(Instant, Result<i64, Failure>)>>,
    limit: Arc<RequestLimit>,
}

impl Default for EventWaiters {
    fn default() -> Self {
        Self { newest: Mutex::default(), limit: RequestLimit::new(MAX_WAITING, PAUSE) }
    }
}

impl EventWaiters {
    /// Lets one more request of this user wait; `None` when too many of its requests wait already.
    pub(crate) async fn acquire(&self, user: UserId) -> Option<RequestPermit> {
        self.limit.acquire(user).await
    }

    /// The position of the newest event, at most [`POLL_INTERVAL`] old. A failure is shared too, so that
    /// a store that does not answer delays the waiting requests only once.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn newest(&self, actor: Actor, events: &EventService) -> Result<i64, Failure> {
        let mut known = self.newest.lock().await;
        if let Some((at, position)) = &*known
            && at.elapsed() < POLL_INTERVAL
        {
            return position.clone();
        }
        let position = events.newest(actor).await;
        *known = Some((Instant::now(), position.clone()));
        position
    }
}
