//! Long lists of a user: only a few run at once, so that one user cannot block the others.
//! A page of more than 1 MiB counts as one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use patrol_domain::ids::UserId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Code, Problem};

/// The most long lists of one user that run at once in this process.
const AT_ONCE: usize = 4;

/// How long the next list waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);

/// The `Retry-After` of a refused list, in seconds.
const RETRY: u64 = 5;

/// The running and waiting long lists, by user. A user without lists takes no memory.
pub(crate) struct LongLists {
    patience: Duration,
    users: Mutex<HashMap<UserId, Lists>>,
}

/// The long lists of one user.
struct Lists {
    free: Arc<Semaphore>,
    /// The number of running and waiting lists.
    count: usize,
}

/// A place for one long list. Dropping it frees the place.
pub(crate) struct LongList {
    // Dropped before the place, so that a new place never finds too few permits.
    _permit: OwnedSemaphorePermit,
    _place: Place,
}

/// A running or waiting list. Dropping the last one of a user removes the user.
struct Place {
    lists: Arc<LongLists>,
    user: UserId,
    free: Arc<Semaphore>,
}

impl Default for LongLists {
    fn default() -> Self {
        Self { patience: PATIENCE, users: Mutex::default() }
    }
}

impl LongLists {
    /// Waits until the user may run one more list. Dropping the future cancels the wait.
    ///
    /// # Errors
    /// `too.many.requests` when no list of the user ends in time.
    pub(crate) async fn begin(self: &Arc<Self>, user: UserId) -> Result<LongList, Box<Problem>> {
        let place = Place::new(Arc::clone(self), user);
        let free = Arc::clone(&place.free);
        // The semaphore is never closed, so the only error is the timeout.
        match tokio::time::timeout(self.patience, free.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(LongList { _permit: permit, _place: place }),
            _ => Err(Box::new(Problem {
                retry_after: Some(RETRY),
                ..Problem::new(Code::TooManyRequests)
            })),
        }
    }
}

impl Place {
    fn new(lists: Arc<LongLists>, user: UserId) -> Self {
        let free = {
            let mut users = lists.users.lock().unwrap_or_else(PoisonError::into_inner);
            let own = users
                .entry(user)
                .or_insert_with(|| Lists { free: Arc::new(Semaphore::new(AT_ONCE)), count: 0 });
            own.count = own.count.saturating_add(1);
            Arc::clone(&own.free)
        };
        Self { lists, user, free }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut users = self.lists.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = users.get_mut(&self.user) {
            own.count = own.count.saturating_sub(1);
            if own.count == 0 {
                users.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use futures_util::FutureExt;

    use super::*;
    use crate::testing::id;

    /// Requests wait 50 ms for a place.
    fn lists() -> Arc<LongLists> {
        let patience = Duration::from_millis(50);
        Arc::new(LongLists { patience, ..LongLists::default() })
    }

    fn users(lists: &LongLists) -> usize {
        lists.users.lock().unwrap().len()
    }

    #[tokio::test]
    async fn the_fifth_list_of_a_user_waits_and_is_then_refused() {
        let lists = lists();
        let mut running = Vec::new();
        for _ in 0..AT_ONCE {
            running.push(lists.begin(id(1)).now_or_never().unwrap().unwrap());
        }
        let before = Instant::now();
        let Err(problem) = lists.begin(id(1)).await else { panic!("a fifth list runs") };
        assert!(before.elapsed() >= lists.patience);
        assert_eq!((problem.code, problem.retry_after), (Code::TooManyRequests, Some(RETRY)));
        // Another user is not affected.
        assert!(lists.begin(id(2)).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_list_that_ends_lets_the_next_one_run() {
        let lists = lists();
        let mut running = Vec::new();
        for _ in 0..AT_ONCE {
            running.push(lists.begin(id(1)).await.unwrap());
        }
        let mut next = Box::pin(lists.begin(id(1)));
        assert!(next.as_mut().now_or_never().is_none());
        running.pop();
        assert!(next.await.is_ok());
    }

    #[tokio::test]
    async fn a_request_that_goes_away_gives_up_its_place() {
        let lists = lists();
        let mut running = Vec::new();
        for _ in 0..AT_ONCE {
            running.push(lists.begin(id(1)).await.unwrap());
        }
        let mut gone = Box::pin(lists.begin(id(1)));
        let mut next = Box::pin(lists.begin(id(1)));
        assert!(gone.as_mut().now_or_never().is_none());
        assert!(next.as_mut().now_or_never().is_none());
        drop(gone);
        running.pop();
        assert!(next.now_or_never().is_some_and(|next| next.is_ok()));
    }

    #[tokio::test]
    async fn users_without_lists_take_no_memory() {
        let lists = lists();
        let running = lists.begin(id(1)).await.unwrap();
        for user in 2..100 {
            drop(lists.begin(id(user)).await);
        }
        assert_eq!(users(&lists), 1);
        drop(running);
        assert_eq!(users(&lists), 0);
    }
}
