//! Lets requests with the same key share one query.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use event_listener::{Event, EventListener};

/// The keys whose queries are running.
pub struct RunningQueries<K>(Mutex<HashMap<K, Arc<Event>>>);

impl<K> Default for RunningQueries<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Held by the request that runs the query of a key; ends the query when dropped.
pub struct RunningQuery<K: Eq + Hash> {
    running: Arc<RunningQueries<K>>,
    key: K,
}

impl<K: Eq + Hash + Clone> RunningQueries<K> {
    /// Begins the query of this key.
    ///
    /// # Errors
    /// When another request runs it: a listener for its end.
    pub fn begin(self: &Arc<Self>, key: K) -> Result<RunningQuery<K>, EventListener> {
        let mut queries = self.lock();
        if let Some(running) = queries.get(&key) {
            return Err(running.listen());
        }
        queries.insert(key.clone(), Arc::default());
        Ok(RunningQuery { running: Arc::clone(self), key })
    }
}

impl<K> RunningQueries<K> {
    fn lock(&self) -> MutexGuard<'_, HashMap<K, Arc<Event>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs also when the query has failed, panicked or was cancelled.
impl<K: Eq + Hash> Drop for RunningQuery<K> {
    fn drop(&mut self) {
        let ended = self.running.lock().remove(&self.key);
        if let Some(ended) = ended {
            ended.notify(usize::MAX);
        }
    }
}
