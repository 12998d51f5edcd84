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
        // Waking is a call of the system even when there is nobody to wake.
        let is_awaited = state.idle > 0;
        drop(state);
        if is_awaited {
            self.arrived.notify_one();
        }
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

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;

    #[test]
    fn jobs_that_come_at_once_do_not_share_the_one_idle_thread() {
        let queue = Arc::new(Queue::new(10, 2, None));
        queue.add_thread();
        let idle = thread::spawn({
            let queue = Arc::clone(&queue);
            move || {
                let mut first = Vec::new();
                queue.take(&mut first, 1);
                first
            }
        });
        while queue.lock().idle == 0 {
            thread::yield_now();
        }
        let mut started = 0;
        for job in [1, 2] {
            queue
                .push(job, || {
                    started += 1;
                    true
                })
                .unwrap();
        }
        assert_eq!(started, 1, "the second has a thread of its own");
        assert_eq!(idle.join().unwrap(), [1]);
    }

    #[test]
    fn a_thread_that_has_lingered_ends_and_another_is_started_when_needed() {
        let queue = Queue::new(10, 1, Some(Duration::ZERO));
        queue.add_thread();
        assert!(!queue.take(&mut Vec::new(), 1));
        let mut started = 0;
        let start = || {
            started += 1;
            true
        };
        queue.push(1, start).unwrap();
        assert_eq!(started, 1);
        let mut jobs = Vec::new();
        assert!(queue.take(&mut jobs, 1), "a job that waits is taken at once");
        assert_eq!(jobs, [1]);
    }

    #[test]
    fn without_any_thread_a_job_is_refused() {
        let queue = Queue::new(10, 1, None);
        assert!(matches!(queue.push(1, || false), Err(StoreError::Unavailable(_))));
    }
}
