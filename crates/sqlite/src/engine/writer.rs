//! The writer thread and its queue. Waiting writes share a commit, because a commit waits for the
//! disk.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use diesel::SqliteConnection;
use patrol_domain::{Metric, StoreError};
use tokio::sync::oneshot;

use super::{
    checkpoint::Checkpoints,
    connection::{Connection, DatabaseFile},
    error::{Abort, lost},
    group::Groups,
    log_bound::LogBound,
    queue::Queue,
    readers::WAITED,
    write::{WaitingWrite, Write},
    write_counters::WriteCounters,
};

/// The maximum number of writes in one commit.
const GROUP: usize = 64;

/// Sends writes to the thread.
pub(super) struct Writer {
    queue: Arc<WriteQueue>,
    thread: Mutex<Option<JoinHandle<()>>>,
    counters: Arc<WriteCounters>,
}

/// The waiting writes.
pub(super) struct WriteQueue(Queue<Box<dyn Write>>);

impl WriteQueue {
    /// Refuses the writes that have waited for `timeout` with `Unavailable`.
    pub(super) fn refuse_late(&self, timeout: Duration) {
        for write in self.0.take_expired(timeout) {
            write.answer(Err(StoreError::Unavailable(WAITED.to_owned())));
        }
    }
}

impl Writer {
    /// Starts the thread. Without a connection, it opens one for its first write.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn start(
        file: DatabaseFile,
        connection: Option<Connection>,
        limit: usize,
        timeout: Duration,
        log: LogBound,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(WriteQueue(Queue::new(limit, 1, None)));
        let counters = Arc::<WriteCounters>::default();
        let checkpoints = Checkpoints::start(file.clone(), log, Arc::clone(&counters))?;
        let mut groups = Groups::new(file, connection, checkpoints, timeout, Arc::clone(&counters));
        let jobs = Arc::clone(&queue);
        queue.0.add_thread();
        let thread = thread::Builder::new().name("sqlite-writer".to_owned()).spawn(move || {
            let mut waiting = Vec::with_capacity(GROUP);
            let mut has_more = false;
            loop {
                while has_more && jobs.0.is_idle() {
                    has_more = groups.upkeep_step();
                    groups.checkpoint();
                }
                if !jobs.0.take(&mut waiting, GROUP) {
                    break;
                }
                let writes = waiting.drain(..).map(|waiting| waiting.job);
                groups.commit(writes.filter(|write| !write.is_abandoned()).collect());
                groups.checkpoint();
                has_more = groups.upkeep_step();
            }
            groups.close();
        })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), counters })
    }

    /// Runs `job` and returns after the commit. A job that has started runs to its end even when
    /// the caller has gone.
    pub(super) async fn run<T, E>(
        &self,
        job: impl FnMut(&mut SqliteConnection) -> Result<T, Abort<E>> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let since = Instant::now();
        let write = Box::new(WaitingWrite::new(job, since, reply));
        self.queue.0.push(write, since, || false).map_err(|(_, error)| error)?;
        answer.await.unwrap_or_else(|_| Err(E::from(lost())))
    }

    /// The waiting writes.
    pub(super) fn queue(&self) -> Arc<WriteQueue> {
        Arc::clone(&self.queue)
    }

    /// The metrics of the queue, and those of commits and checkpoints.
    pub(super) fn metrics(&self) -> Vec<Metric> {
        let queue = self.queue.0.metrics("writes");
        queue.into_iter().chain(self.counters.metrics()).collect()
    }

    /// Accepts no more writes.
    pub(super) fn close(&self) {
        self.queue.0.close();
    }

    /// The thread, to wait for its end; `None` from the second call on.
    pub(super) fn thread(&self) -> Option<JoinHandle<()>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
