//! Lets requests with the same question share one query.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use event_listener::{Event, EventListener};

/// The questions whose queries are running.
pub struct Running<Q>(Mutex<HashMap<Q, Arc<Event>>>);

impl<Q> Default for Running<Q> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Held by the request that runs the query of a question.
pub struct Turn<Q: Eq + Hash> {
    running: Arc<Running<Q>>,
    question: Q,
}

impl<Q: Eq + Hash + Clone> Running<Q> {
    /// Begins the query of this question.
    ///
    /// # Errors
    /// While another request runs it: how to wait for its end.
    pub fn begin(self: &Arc<Self>, question: Q) -> Result<Turn<Q>, EventListener> {
        let mut questions = self.lock();
        if let Some(running) = questions.get(&question) {
            return Err(running.listen());
        }
        questions.insert(question.clone(), Arc::default());
        Ok(Turn { running: Arc::clone(self), question })
    }
}

impl<Q> Running<Q> {
    fn lock(&self) -> MutexGuard<'_, HashMap<Q, Arc<Event>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Also when the query fails, panics or is cancelled.
impl<Q: Eq + Hash> Drop for Turn<Q> {
    fn drop(&mut self) {
        let ended = self.running.lock().remove(&self.question);
        if let Some(ended) = ended {
            ended.notify(usize::MAX);
        }
    }
}
