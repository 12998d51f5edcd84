//! A bounded queue of jobs for threads that are started on demand.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use patrol_domain::{Metric, StoreError};
use patrol_repository::counters::WaitCounters;

/// Waiting jobs, and the number of threads.
pub(super) struct Queue<J> {
    state: Mutex<State<J>>,
    arrived: Condvar,
    /// The maximum number of waiting jobs.
    limit: usize,
    /// The maximum number of threads.
    threads: usize,
    /// How long an idle thread stays alive; `None`: no limit.
    idle_limit: Option<Duration>,
    counters: WaitCounters,
}

/// A job in the queue.
pub(super) struct Waiting<J> {
    pub(super) job: J,
    /// The start of its wait, in this or an earlier queue.
    pub(super) since: Instant,
}

struct State<J> {
    waiting: VecDeque<Waiting<J>>,
    /// Idle threads.
    idle: usize,
    /// All threads.
    threads: usize,
    closed: bool,
}

/// The load of a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Waiting jobs.
    pub(super) waiting: usize,
    /// Running jobs.
    pub(super) running: usize,
}

impl<J> Queue<J> {
    pub(super) fn new(limit: usize, threads: usize, idle_limit: Option<Duration>) -> Self {
        let state = State { waiting: VecDeque::new(), idle: 0, threads: 0, closed: false };
        let (state, counters) = (Mutex::new(state), WaitCounters::default());
        Self { state, arrived: Condvar::new(), limit, threads, idle_limit, counters }
    }

    /// The metrics of the queue `name`.
    pub(super) fn metrics(&self, name: &'static str) -> Vec<Metric> {
        let Load { waiting, running } = self.load();
        let running = Metric::gauge_of(
            "patrol_store_running",
            "Requests that the store works on.",
            Some(("queue", name)),
            running,
        );
        let waits = self.counters.metrics(name, waiting, self.limit);
        waits.into_iter().chain([running]).collect()
    }

    /// Counts a thread that the owner of the queue has started.
    pub(super) fn add_thread(&self) {
        self.lock().threads += 1;
    }

    /// Adds a job that has waited since `since`. Calls `start` when all threads are busy and
    /// another one is allowed; `start` returns whether a thread was started.
    ///
    /// # Errors
    /// The job, and `Unavailable` when too many jobs wait, when there is no thread, or after
    /// [`Self::close`].
    pub(super) fn push(
        &self,
        job: J,
        since: Instant,
        start: impl FnOnce() -> bool,
    ) -> Result<(), (J, StoreError)> {
        let refused = |reason: &str| StoreError::Unavailable(reason.to_owned());
        let mut state = self.lock();
        if state.closed {
            return Err((job, refused("it is closed")));
        }
        if state.waiting.len() >= self.limit {
            self.counters.full.increment();
            return Err((job, refused("too many requests wait for it")));
        }
        // Idle threads that were already woken for a waiting job do not count.
        let all_busy = state.waiting.len() >= state.idle;
        if all_busy && state.threads < self.threads && start() {
            state.threads += 1;
        }
        if state.threads == 0 {
            return Err((job, refused("no thread can be started")));
        }
        state.waiting.push_back(Waiting { job, since });
        // Waking is a system call even without a waiting thread.
        let is_awaited = state.idle > 0;
        drop(state);
        if is_awaited {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Waits for a job and moves up to `most` jobs into `group`. False when the thread has to end:
    /// it was idle for too long, or the queue is closed and empty.
    pub(super) fn take(&self, group: &mut Vec<Waiting<J>>, most: usize) -> bool {
        let mut state = self.lock();
        loop {
            if !state.waiting.is_empty() {
                let count = state.waiting.len().min(most);
                group.extend(state.waiting.drain(..count));
                drop(state);
                let now = Instant::now();
                let taken = group.iter().rev().take(count);
                let waited = taken.map(|job| now.saturating_duration_since(job.since)).sum();
                self.counters.taken.add(count);
                self.counters.waited.add(waited);
                return true;
            }
            if state.closed {
                break;
            }
            state.idle += 1;
            let timed_out;
            (state, timed_out) = self.wait(state);
            state.idle -= 1;
            if timed_out && state.waiting.is_empty() {
                break;
            }
        }
        state.threads -= 1;
        false
    }

    /// Whether no job waits and more may come.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.waiting.is_empty() && !state.closed
    }

    /// Removes the jobs that have waited for `timeout`.
    pub(super) fn take_expired(&self, timeout: Duration) -> Vec<J> {
        let mut state = self.lock();
        let is_late = |waiting: &Waiting<J>| waiting.since.elapsed() >= timeout;
        if !state.waiting.iter().any(is_late) {
            return Vec::new();
        }
        let (late, rest) = state.waiting.drain(..).partition::<Vec<_>, _>(is_late);
        state.waiting = rest.into();
        self.counters.late.add(late.len());
        late.into_iter().map(|waiting| waiting.job).collect()
    }

    /// Counts a thread that comes from another queue. False when the maximum is reached.
    pub(super) fn add_thread_if_allowed(&self) -> bool {
        let mut state = self.lock();
        let has_room = !state.closed && state.threads < self.threads;
        state.threads += usize::from(has_room);
        has_room
    }

    /// Stops counting a thread that goes to another queue. Calls `start`, as [`Self::push`] does,
    /// when jobs wait for a thread.
    pub(super) fn remove_thread(&self, start: impl FnOnce() -> bool) {
        let mut state = self.lock();
        state.threads -= 1;
        if state.waiting.len() > state.idle && start() {
            state.threads += 1;
        }
    }

    pub(super) const fn max_threads(&self) -> usize {
        self.threads
    }

    /// The numbers of waiting and running jobs.
    pub(super) fn load(&self) -> Load {
        let state = self.lock();
        Load { waiting: state.waiting.len(), running: state.threads.saturating_sub(state.idle) }
    }

    /// Accepts no more jobs. The threads run the waiting jobs, and then end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<J>>) -> (MutexGuard<'a, State<J>>, bool) {
        let Some(idle_limit) = self.idle_limit else {
            return (self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner), false);
        };
        let (state, end) =
            self.arrived.wait_timeout(state, idle_limit).unwrap_or_else(PoisonError::into_inner);
        (state, end.timed_out())
    }

    /// Jobs never run under the lock, so the state is consistent even after a panic.
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
                first.into_iter().map(|waiting| waiting.job).collect::<Vec<_>>()
            }
        });
        while queue.lock().idle == 0 {
            thread::yield_now();
        }
        let mut started = 0;
        for job in [1, 2] {
            queue
                .push(job, Instant::now(), || {
                    started += 1;
                    true
                })
                .unwrap();
        }
        assert_eq!(started, 1, "the second has a thread of its own");
        assert_eq!(idle.join().unwrap(), [1]);
    }

    #[test]
    fn an_idle_thread_ends_and_another_is_started_when_needed() {
        let queue = Queue::new(10, 1, Some(Duration::ZERO));
        queue.add_thread();
        assert!(!queue.take(&mut Vec::new(), 1));
        let mut started = 0;
        let start = || {
            started += 1;
            true
        };
        queue.push(1, Instant::now(), start).unwrap();
        assert_eq!(started, 1);
        let mut jobs = Vec::new();
        assert!(queue.take(&mut jobs, 1), "a job that waits is taken at once");
        assert_eq!(jobs.pop().map(|waiting| waiting.job), Some(1));
    }

    #[test]
    fn jobs_that_have_waited_too_long_leave_the_queue() {
        let queue = Queue::new(10, 1, None);
        let timeout = Duration::from_secs(5);
        let long_ago = Instant::now().checked_sub(timeout).unwrap();
        for (job, since) in [(1, Instant::now()), (2, long_ago), (3, Instant::now())] {
            queue.push(job, since, || true).unwrap();
        }
        assert_eq!(queue.take_expired(timeout), [2]);
        assert!(queue.counters.late.count() > 0.0);
        assert!(queue.take_expired(timeout).is_empty());
        assert_eq!(queue.load().waiting, 2);
    }

    #[test]
    fn a_thread_that_leaves_is_replaced_only_when_jobs_wait() {
        let queue = Queue::new(10, 1, None);
        assert!(queue.add_thread_if_allowed());
        assert!(!queue.add_thread_if_allowed(), "there may be only one");
        queue.remove_thread(|| panic!("nothing waits"));
        assert!(queue.add_thread_if_allowed());
        queue.push(1, Instant::now(), || panic!("there is a thread")).unwrap();
        queue.remove_thread(|| true);
        assert!(!queue.add_thread_if_allowed(), "the replacement counts");
    }

    #[test]
    fn without_any_thread_a_job_is_refused() {
        let queue = Queue::new(10, 1, None);
        assert!(matches!(
            queue.push(1, Instant::now(), || false),
            Err((1, StoreError::Unavailable(_)))
        ));
    }
}
