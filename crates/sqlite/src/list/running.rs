//! Lets threads with the same question share one query.

use std::{
    collections::HashSet,
    hash::Hash,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use patrol_domain::StoreError;

use crate::engine::{Abort, ended, has_to_end};

/// The questions whose queries are running.
pub(super) struct Running<Q> {
    questions: Mutex<HashSet<Q>>,
    one_has_ended: Condvar,
}

/// Held by the thread that runs the query of a question.
pub(super) struct Turn<'a, Q: Hash + Eq> {
    running: &'a Running<Q>,
    question: &'a Q,
}

/// How often a thread that waits for another's query checks whether its own list is cancelled.
const ASK: Duration = Duration::from_millis(20);

impl<Q> Default for Running<Q> {
    fn default() -> Self {
        Self { questions: Mutex::default(), one_has_ended: Condvar::new() }
    }
}

impl<Q: Hash + Eq + Clone> Running<Q> {
    /// Starts the query of this question; `None`, after a pause, while another thread runs it. Fails
    /// when the list of this thread is cancelled.
    pub(super) fn begin<'a>(
        &'a self,
        question: &'a Q,
    ) -> Result<Option<Turn<'a, Q>>, Abort<StoreError>> {
        let mut questions = lock(&self.questions);
        if questions.insert(question.clone()) {
            return Ok(Some(Turn { running: self, question }));
        }
        drop(self.one_has_ended.wait_timeout(questions, ASK));
        if has_to_end() { Err(ended()) } else { Ok(None) }
    }
}

/// Also when the query fails or panics.
impl<Q: Hash + Eq> Drop for Turn<'_, Q> {
    fn drop(&mut self) {
        lock(&self.running.questions).remove(self.question);
        self.running.one_has_ended.notify_all();
    }
}

fn lock<Q>(questions: &Mutex<HashSet<Q>>) -> MutexGuard<'_, HashSet<Q>> {
    questions.lock().unwrap_or_else(PoisonError::into_inner)
}
