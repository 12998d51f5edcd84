//! Waits for new events. Any number of waiting requests asks the store for the newest one only a
//! few times a second.

use std::{collections::HashMap, sync::PoisonError, time::Duration};

use patrol_application::{Actor, EventService, Failure};
use patrol_domain::{
    event::{EventPage, EventQuery},
    ids::UserId,
};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use crate::route::{Call, Endpoint};

/// How old the known position of the newest event may be.
const FRESH: Duration = Duration::from_millis(200);

/// The most requests of one user that wait at once in this process, because each new event makes
/// each of them read its page again. Others are answered without waiting.
const MOST_WAITING: usize = 16;

/// What the waiting requests of the process share.
#[derive(Default)]
pub(crate) struct Waiting {
    /// The position of the newest event, and when it was read.
    newest: Mutex<Option<(Instant, Result<i64, Failure>)>>,
    /// The number of waiting requests, by user.
    users: std::sync::Mutex<HashMap<UserId, usize>>,
}

/// A waiting request. Dropping it lets another one of its user wait.
struct Place<'a> {
    waiting: &'a Waiting,
    user: UserId,
}

impl Waiting {
    /// A place for one more request of this user, if there is one.
    fn begin(&self, user: UserId) -> Option<Place<'_>> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let count = users.entry(user).or_default();
        if *count >= MOST_WAITING {
            return None;
        }
        *count += 1;
        Some(Place { waiting: self, user })
    }

    /// The position of the newest event, at most [`FRESH`] old. A failure is shared as well, so
    /// that waiting requests do not each wait for a store that does not answer.
    ///
    /// # Errors
    /// When the store fails.
    async fn newest(&self, actor: Actor, events: &EventService) -> Result<i64, Failure> {
        let mut known = self.newest.lock().await;
        if let Some((at, position)) = &*known
            && at.elapsed() < FRESH
        {
            return position.clone();
        }
        let position = events.newest(actor).await;
        *known = Some((Instant::now(), position.clone()));
        position
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut users = self.waiting.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = users.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                users.remove(&self.user);
            }
        }
    }
}

/// The first page of `query` that has events; an empty one after `wait`, when the server stops, and
/// when too many requests of the user already wait.
pub(super) async fn found<E: Endpoint>(
    call: &Call<E>,
    mut query: EventQuery,
    wait: Duration,
    read: impl AsyncFn(EventQuery) -> Result<EventPage, Failure>,
) -> Result<EventPage, Failure> {
    let end = Instant::now() + wait;
    let waiting = call.waiting_for_events();
    let place = if wait.is_zero() { None } else { waiting.begin(call.caller().user) };
    loop {
        let page = read(query.clone()).await?;
        if !page.events.is_empty() || place.is_none() || Instant::now() >= end {
            return Ok(page);
        }
        query.after = page.next;
        if page.more {
            continue;
        }
        loop {
            if call.is_stopping() || Instant::now() >= end {
                return Ok(page);
            }
            sleep(FRESH.min(end.saturating_duration_since(Instant::now()))).await;
            if waiting.newest(call.actor(), &call.services().events).await? > page.next {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::ids::Uuid;

    use super::*;

    #[test]
    fn a_user_has_a_bounded_number_of_waiting_requests() {
        let waiting = Waiting::default();
        let [one, other] = [1, 2].map(|number| UserId(Uuid::from_u128(number)));
        let mut places: Vec<_> = (0..MOST_WAITING).map(|_| waiting.begin(one).unwrap()).collect();
        assert!(waiting.begin(one).is_none());
        assert!(waiting.begin(other).is_some());
        places.pop();
        assert!(waiting.begin(one).is_some());
        places.clear();
        assert!(waiting.users.lock().unwrap().is_empty());
    }
}
