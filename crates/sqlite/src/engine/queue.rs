//! A bounded queue of jobs for threads that are started when they are needed.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use patrol_domain::StoreError;

/// Jobs that wait, and how many threads there are to run them.
pub(super) struct Queue<J> {
    state: Mutex<State<J>>,
    arrived: Condvar,
    /// How many jobs may wait.
    limit: usize,
    /// How many threads there may be.
    threads: usize,
    /// How long a thread stays that has nothing to do; none for ever.
    linger: Option<Duration>,
}

struct State<J> {
    waiting: VecDeque<J>,
    /// Threads that wait for a job.
    idle: usize,
    /// All threads.
    threads: usize,
    closed: bool,
}

impl<J> Queue<J> {
    pub(super) fn new(limit: usize, threads: usize, linger: Option<Duration>) -> Self {
        let state = State { waiting: VecDeque::new(), idle: 0, threads: 0, closed: false };
        Self { state: Mutex::new(state), arrived: Condvar::new(), limit, threads, linger }
    }

    /// Counts a thread that was started by the owner of the queue.
    pub(super) fn add_thread(&self) {
        self.lock().threads += 1;
    }

    /// Adds a job. Calls `start`, which says whether it could start a thread, when every thread has
    /// something to do and there may be one more.
    ///
    /// # Errors
    /// `Unavailable` when too many jobs wait, when there is no thread, or after [`Self::close`].
    pub(super) fn push(&self, job: J, start: impl FnOnce() -> bool) -> Result<(), StoreError> {
        let mut state = self.lock();
        if state.closed {
            return Err(StoreError::Unavailable("it is closed".to_owned()));
        }
        if state.waiting.len() >= self.limit {
            return Err(StoreError::Unavailable("too many requests wait for it".to_owned()));
        }
        // Idle threads that a waiting job has woken but that have not come for it yet do not count.
        let all_busy = state.waiting.len() >= state.idle;
        if all_busy && state.threads < self.threads && start() {
            state.threads += 1;
        }
        if state.threads == 0 {
            return Err(StoreError::Unavailable("no thread can be started".to_owned()));
        }
        state.waiting.push_back(job);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// Moves up to `most` jobs into `group`, after a wait for the first. False when the thread has
    /// to end: it has lingered, or the queue is closed and empty.
    pub(super) fn take(&self, group: &mut Vec<J>, most: usize) -> bool {
        let mut state = self.lock();
        loop {
            if !state.waiting.is_empty() {
                let count = state.waiting.len().min(most);
                group.extend(state.waiting.drain(..count));
                return true;
            }
            if state.closed {
                break;
            }
            state.idle += 1;
            let lingered;
            (state, lingered) = self.wait(state);
            state.idle -= 1;
            if lingered && state.waiting.is_empty() {
                break;
            }
        }
        state.threads -= 1;
        false
    }

    /// Takes no further jobs; threads end when they have run those that wait.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<J>>) -> (MutexGuard<'a, State<J>>, bool) {
        let Some(linger) = self.linger else {
            return (self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner), false);
        };
        let (state, end) =
            self.arrived.wait_timeout(state, linger).unwrap_or_else(PoisonError::into_inner);
        (state, end.timed_out())
    }

    /// Jobs never run under the lock, so that what it guards is whole even after a panic.
    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
