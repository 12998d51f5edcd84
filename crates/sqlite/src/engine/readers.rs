//! Reader threads. Each kind of read has its own threads, so that one kind never delays another.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use diesel::SqliteConnection;
use patrol_domain::{Metric, StoreError};
use tokio::sync::oneshot;

use super::{
    connection::{Connection, DatabaseFile, Purpose},
    error::{Abort, caller_error, lost, store_error},
    queue::{Load, Queue, Waiting},
};

/// How long an idle thread keeps its connection and its cache.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

type Job = Box<dyn FnOnce(Result<&mut SqliteConnection, StoreError>) -> AfterJob + Send>;

/// What a thread does after a job.
pub(super) enum AfterJob {
    /// Takes the next job of its queue.
    Done,
    /// Gives this job to a slow-page thread.
    MoveToSlow(Job),
}

thread_local! {
    /// The pool of this thread.
    static POOL: RefCell<Option<Arc<Pool>>> = const { RefCell::new(None) };
}

/// Threads of one kind, started on demand.
#[derive(Clone)]
pub(super) struct Readers {
    pool: Arc<Pool>,
}

struct Pool {
    queue: Queue<Job>,
    file: DatabaseFile,
    purpose: Purpose,
    name: &'static str,
    priority: Priority,
    /// Where slow jobs of these threads continue; only quick pages have this.
    slow: Option<Readers>,
    /// Connections of slow-page threads that have ended, with their page caches. New threads for
    /// pages take them. Unused by the other threads.
    spare: Spare,
}

/// Connections for the next new threads.
type Spare = Arc<Mutex<Vec<Connection>>>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Priority {
    Usual,
    Low,
}

/// The threads for lists. A page starts as a quick one. When it turns out to be slow, its thread
/// becomes a slow-page thread if another one is allowed; otherwise the page waits for one and
/// restarts. So a quick page soon finds a thread, and the number of threads is bounded.
pub(super) struct ListThreads {
    pub(super) pages: Readers,
    pub(super) slow: Readers,
    pub(super) long: Readers,
}

impl ListThreads {
    /// At most `threads` for quick pages, the same number for slow ones, and `long` for long lists.
    /// At most `limit` jobs wait for each of them.
    pub(super) fn new(file: &DatabaseFile, threads: usize, long: usize, limit: usize) -> Self {
        let spare = Spare::default();
        let new = |name, purpose, priority, queue, slow| {
            let (file, spare) = (file.clone(), Arc::clone(&spare));
            Readers { pool: Arc::new(Pool { queue, file, purpose, name, priority, slow, spare }) }
        };
        let queue = |threads, linger| Queue::new(limit, threads, Some(linger));
        let long = new("sqlite-list", Purpose::List, Priority::Low, queue(long, IDLE_LIMIT), None);
        // Idle slow-page threads end at once: they would count towards the maximum, and a slow page
        // could not keep its own thread but would have to restart.
        let slow =
            new("sqlite-slow", Purpose::Read, Priority::Low, queue(threads, Duration::ZERO), None);
        let pages = new(
            "sqlite-page",
            Purpose::Read,
            Priority::Usual,
            queue(threads, IDLE_LIMIT),
            Some(slow.clone()),
        );
        Self { pages, slow, long }
    }
}

impl Readers {
    /// At most `threads` threads; at most `limit` jobs wait.
    pub(super) fn new(
        name: &'static str,
        file: DatabaseFile,
        threads: usize,
        limit: usize,
    ) -> Self {
        Self {
            pool: Arc::new(Pool {
                queue: Queue::new(limit, threads, Some(IDLE_LIMIT)),
                file,
                purpose: Purpose::Read,
                name,
                priority: Priority::Usual,
                slow: None,
                spare: Spare::default(),
            }),
        }
    }

    /// Runs `job` and returns its result. A job that has not started is skipped when its caller is
    /// gone.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.submit(Box::new(move |connection| {
            if reply.is_closed() {
                return AfterJob::Done;
            }
            let result = connection.and_then(|connection| job(connection).map_err(caller_error));
            // Fails only when the caller has gone, which needs no result.
            drop(reply.send(result));
            AfterJob::Done
        }));
        answer.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Queues `job`, or calls it with `Unavailable` when too many wait.
    pub(super) fn submit(&self, job: Job) {
        self.pool.push(job, Instant::now());
    }

    /// Refuses the jobs that have waited for `timeout` with `Unavailable`.
    pub(super) fn refuse_late(&self, timeout: Duration) {
        for job in self.pool.queue.take_expired(timeout) {
            refuse(job, StoreError::Unavailable(WAITED.to_owned()));
        }
    }

    pub(super) fn load(&self) -> Load {
        self.pool.queue.load()
    }

    /// The metrics of the queue `name`.
    pub(super) fn metrics(&self, name: &'static str) -> Vec<Metric> {
        self.pool.queue.metrics(name)
    }

    /// Accepts no more jobs.
    pub(super) fn close(&self) {
        self.pool.queue.close();
        self.pool.spare.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The message for a caller whose job did not start in time.
pub(super) const WAITED: &str = "the request waited for a thread for too long";

/// Calls a job with `error` instead of running it.
fn refuse(job: Job, error: StoreError) {
    if catch_unwind(AssertUnwindSafe(|| job(Err(error)))).is_err() {
        tracing::error!("a job that was refused has panicked");
    }
}

/// The pool of this thread, if it is the one for quick pages.
pub(super) fn quick_pool() -> Option<QuickPool> {
    let pool = POOL.try_with(|pool| pool.borrow().clone()).ok().flatten()?;
    let slow = pool.slow.clone()?;
    Some(QuickPool { pool, slow })
}

/// The pool for quick pages and the one for slow pages, seen from a thread of the first.
pub(super) struct QuickPool {
    pool: Arc<Pool>,
    slow: Readers,
}

impl QuickPool {
    /// Whether slow pages wait for a thread.
    pub(super) fn slow_pages_wait(&self) -> bool {
        self.slow.load().waiting > 0
    }

    /// Turns this thread into a slow-page thread; another one replaces it when pages wait. False
    /// when the maximum of slow-page threads is reached.
    pub(super) fn become_slow(self) -> bool {
        if !self.slow.pool.queue.add_thread_if_allowed() {
            return false;
        }
        self.pool.queue.remove_thread(|| self.pool.start());
        lower_priority();
        POOL.set(Some(self.slow.pool));
        true
    }
}

/// Lowers the priority of the calling thread, so that reads by id come before long lists: beside 16
/// complete lists on 2 cores there were 13 reads by id per second without this, and 10,000 with it.
#[cfg(target_os = "linux")]
fn lower_priority() {
    /// A `nice` value: 0 is normal, 19 the lowest priority.
    const NICE: i32 = 15;
    // On Linux this sets the priority of the calling thread. If it fails, long lists only take more
    // time from other requests.
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread for long lists keeps its priority");
    }
}

/// Only Linux has thread priorities that need no privileges.
#[cfg(not(target_os = "linux"))]
const fn lower_priority() {}

impl Pool {
    /// Queues a job that has waited since `since`, or refuses it.
    fn push(self: &Arc<Self>, job: Job, since: Instant) {
        if let Err((job, error)) = self.queue.push(job, since, || self.start()) {
            refuse(job, error);
        }
    }

    /// Keeps a connection for the next page thread, unless there are enough.
    fn keep(&self, connection: Connection) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < self.queue.max_threads() {
            spare.push(connection);
        }
    }

    /// Starts a thread; false when that fails.
    fn start(self: &Arc<Self>) -> bool {
        let pool = Arc::clone(self);
        thread::Builder::new()
            .name(self.name.to_owned())
            .spawn(move || run(pool))
            .inspect_err(|error| tracing::error!(%error, "no thread can be started"))
            .is_ok()
    }

    /// Runs a job, and returns the connection if it can still be used.
    fn run_job(&self, connection: Option<Connection>, waiting: Waiting<Job>) -> Option<Connection> {
        let Waiting { job, since } = waiting;
        let waited = since.elapsed();
        let connected = match connection {
            Some(connection) => Ok(connection),
            None => self.file.connect(self.purpose).map_err(|error| store_error(&error)),
        };
        let mut connection = match connected {
            Ok(connection) => connection,
            Err(error) => {
                tracing::error!(%error, "no connection can be made");
                refuse(job, error);
                return None;
            }
        };
        match catch_unwind(AssertUnwindSafe(|| job(Ok(&mut connection)))) {
            Ok(AfterJob::Done) => {}
            Ok(AfterJob::MoveToSlow(job)) => self.move_to_slow(job, waited),
            Err(_) => {
                tracing::error!("a read has panicked; the connection is replaced");
                connection.discard();
                return None;
            }
        }
        connection.forget_statements();
        Some(connection)
    }

    /// Continues a job on a slow-page thread. It has already waited for `waited`.
    fn move_to_slow(&self, job: Job, waited: Duration) {
        let now = Instant::now();
        let since = now.checked_sub(waited).unwrap_or(now);
        match &self.slow {
            Some(slow) => slow.pool.push(job, since),
            None => refuse(job, lost()),
        }
    }
}

/// The loop of a thread of `pool`.
fn run(pool: Arc<Pool>) {
    if pool.priority == Priority::Low {
        lower_priority();
    }
    let mut spare = pool.spare.lock().unwrap_or_else(PoisonError::into_inner);
    let mut connection = if pool.purpose == Purpose::Read { spare.pop() } else { None };
    drop(spare);
    POOL.set(Some(pool));
    let mut next = Vec::with_capacity(1);
    // A job may move this thread to another pool.
    while let Some(pool) = POOL.with_borrow(Option::clone)
        && pool.queue.take(&mut next, 1)
    {
        for waiting in next.drain(..) {
            connection = pool.run_job(connection, waiting);
        }
    }
    // A thread that has become a slow-page thread gives its connection to its replacement.
    if let (Some(connection), Some(pool)) = (connection, POOL.take())
        && pool.purpose == Purpose::Read
        && pool.priority == Priority::Low
    {
        pool.keep(connection);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_the_thread_that_asks_for_it_gets_a_lower_priority() {
        let usual = getpriority_process(None).unwrap();
        let lowered = thread::spawn(|| {
            lower_priority();
            getpriority_process(None).unwrap()
        });
        assert!(lowered.join().unwrap() > usual);
        assert_eq!(getpriority_process(None).unwrap(), usual);
    }
}
