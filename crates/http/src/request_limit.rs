//! Limits how many requests of one user or client run at once, so that one cannot block the others.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use actix_web::web;
use patrol_domain::{StoreError, ids::UserId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit of concurrent requests for each key, in this process. A key without requests takes no
/// memory.
pub(crate) struct RequestLimit<K: Key = UserId> {
    /// The maximum number of requests of one key that run at once.
    most: usize,
    /// How long the next request waits until another one ends.
    timeout: Duration,
    keys: Mutex<HashMap<K, Requests>>,
}

/// What requests are counted by: a user, or the address of a client.
pub trait Key: Copy + Eq + Hash {}

impl<K: Copy + Eq + Hash> Key for K {}

/// The requests of one key.
struct Requests {
    free: Arc<Semaphore>,
    /// The number of running and waiting requests.
    count: usize,
}

/// The permit of one running request; released on drop.
pub struct RequestPermit<K: Key = UserId> {
    // Dropped before the count, so that a new semaphore never exists beside a permit of the old
    // one.
    _permit: OwnedSemaphorePermit,
    _counted: CountedRequest<K>,
}

/// A running or waiting request. Dropping the last one of a key removes the key.
struct CountedRequest<K: Key> {
    limit: Arc<RequestLimit<K>>,
    key: K,
    free: Arc<Semaphore>,
}

impl<K: Key> RequestLimit<K> {
    /// Allows `most` requests of each key at once. Another one waits up to `timeout`.
    pub(crate) fn new(most: usize, timeout: Duration) -> Arc<Self> {
        Arc::new(Self { most, timeout, keys: Mutex::default() })
    }

    /// Waits until one more request of the key may run; `None` after the timeout. Dropping the
    /// future cancels the wait.
    pub(crate) async fn acquire(self: &Arc<Self>, key: K) -> Option<RequestPermit<K>> {
        let counted = CountedRequest::new(Arc::clone(self), key);
        let free = Arc::clone(&counted.free);
        // The semaphore is never closed, so the only error is the timeout.
        match tokio::time::timeout(self.timeout, free.acquire_owned()).await {
            Ok(Ok(permit)) => Some(RequestPermit { _permit: permit, _counted: counted }),
            _ => None,
        }
    }

    #[cfg(test)]
    pub(crate) fn keys(&self) -> usize {
        self.keys.lock().unwrap().len()
    }
}

impl<K: Key> CountedRequest<K> {
    fn new(limit: Arc<RequestLimit<K>>, key: K) -> Self {
        let free = {
            let mut keys = limit.keys.lock().unwrap_or_else(PoisonError::into_inner);
            let requests = keys.entry(key).or_insert_with(|| Requests {
                free: Arc::new(Semaphore::new(limit.most)),
                count: 0,
            });
            requests.count = requests.count.saturating_add(1);
            Arc::clone(&requests.free)
        };
        Self { limit, key, free }
    }
}

impl<K: Key> Drop for CountedRequest<K> {
    fn drop(&mut self) {
        let mut keys = self.limit.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requests) = keys.get_mut(&self.key) {
            requests.count = requests.count.saturating_sub(1);
            if requests.count == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

/// Does work that may take long on a thread for blocking work, where it does not hold up other requests.
/// The permit ends with the work, also when the client has left.
///
/// # Errors
/// `Internal` when the work panics or is cancelled.
pub(crate) async fn block<P: Send + 'static, T: Send + 'static>(
    permit: P,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    let work = move || {
        let _permit = permit;
        work()
    };
    web::block(work).await.map_err(|cause| StoreError::Internal(cause.to_string()))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use futures_util::FutureExt;

    use super::*;
    use crate::tests::id;

    const MAX: usize = 4;

    /// Four requests of each user run at once; another one waits 50 ms.
    fn limit() -> Arc<RequestLimit> {
        RequestLimit::new(MAX, Duration::from_millis(50))
    }

    #[tokio::test]
    async fn a_request_above_the_limit_waits_and_is_then_refused() {
        let limit = limit();
        let mut running = Vec::new();
        for _ in 0..MAX {
            running.push(limit.acquire(id(1)).now_or_never().unwrap().unwrap());
        }
        let before = Instant::now();
        assert!(limit.acquire(id(1)).await.is_none());
        assert!(before.elapsed() >= limit.timeout);
        // Another user is not affected.
        assert!(limit.acquire(id(2)).now_or_never().is_some());
    }

    #[tokio::test]
    async fn when_a_request_ends_the_next_one_runs() {
        let limit = limit();
        let mut running = Vec::new();
        for _ in 0..MAX {
            running.push(limit.acquire(id(1)).await.unwrap());
        }
        let mut next = Box::pin(limit.acquire(id(1)));
        assert!(next.as_mut().now_or_never().is_none());
        running.pop();
        assert!(next.await.is_some());
    }

    #[tokio::test]
    async fn a_cancelled_request_does_not_block_the_next_one() {
        let limit = limit();
        let mut running = Vec::new();
        for _ in 0..MAX {
            running.push(limit.acquire(id(1)).await.unwrap());
        }
        let mut cancelled = Box::pin(limit.acquire(id(1)));
        let mut next = Box::pin(limit.acquire(id(1)));
        assert!(cancelled.as_mut().now_or_never().is_none());
        assert!(next.as_mut().now_or_never().is_none());
        drop(cancelled);
        running.pop();
        assert!(next.now_or_never().is_some_and(|next| next.is_some()));
    }

    #[tokio::test]
    async fn users_without_requests_take_no_memory() {
        let limit = limit();
        let running = limit.acquire(id(1)).await.unwrap();
        for user in 2..100 {
            drop(limit.acquire(id(user)).await);
        }
        assert_eq!(limit.keys(), 1);
        drop(running);
        assert_eq!(limit.keys(), 0);
    }
}
