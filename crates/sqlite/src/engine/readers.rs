//! Threads that read. Each kind of reading has its own, so that none waits for another.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Duration,
};

use diesel::SqliteConnection;
use patrol_domain::StoreError;
use tokio::sync::oneshot;

use super::{
    connection::{Connection, Place, Purpose},
    error::{Abort, lost, store_error},
    queue::Queue,
};

/// How long a thread that has nothing to do keeps its connection and its cache.
const LINGER: Duration = Duration::from_secs(60);

type Job = Box<dyn FnOnce(Result<&mut SqliteConnection, StoreError>) + Send>;

/// Threads of one kind, started when they are needed.
pub(super) struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Queue<Job>,
    place: Place,
    purpose: Purpose,
    name: &'static str,
}

impl Readers {
    /// At most `threads` threads, for which at most `limit` jobs wait.
    pub(super) fn new(
        name: &'static str,
        place: Place,
        purpose: Purpose,
        threads: usize,
        limit: usize,
    ) -> Self {
        let queue = Queue::new(limit, threads, Some(LINGER));
        Self { shared: Arc::new(Shared { queue, place, purpose, name }) }
    }

    /// Runs `job` and answers with what it returns. When nobody waits for the answer any more, a
    /// job that has not begun is left out.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut SqliteConnection) -> Result<T, Abort<StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.submit(Box::new(move |connection| {
            if reply.is_closed() {
                return;
            }
            let result =
                connection.and_then(|connection| job(connection).map_err(Abort::into_error));
            // Whoever has gone away needs no answer.
            drop(reply.send(result));
        }))?;
        answer.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Has one of the threads run `job`.
    ///
    /// # Errors
    /// `Unavailable` when too many wait.
    pub(super) fn submit(&self, job: Job) -> Result<(), StoreError> {
        let shared = &self.shared;
        shared.queue.push(job, || {
            let thread = Arc::clone(shared);
            thread::Builder::new()
                .name(shared.name.to_owned())
                .spawn(move || thread.run())
                .inspect_err(|error| tracing::error!(%error, "no thread can be started"))
                .is_ok()
        })
    }

    /// Takes no further jobs.
    pub(super) fn close(&self) {
        self.shared.queue.close();
    }
}

/// Lets other threads go first. A long list has minutes, a read by id has not: 16 whole lists at once
/// on 2 cores left reads by id 13/s, and 10,000/s with this.
#[cfg(target_os = "linux")]
fn step_back() {
    /// As `nice` counts: 0 is usual, 19 the last.
    const NICE: i32 = 15;
    // On Linux this is the priority of the calling thread. Without it lists are only ruder.
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread for long lists keeps its priority");
    }
}

/// Only Linux has priorities of threads that need no rights.
#[cfg(not(target_os = "linux"))]
const fn step_back() {}

impl Shared {
    /// What a thread does.
    fn run(&self) {
        if self.purpose == Purpose::List {
            step_back();
        }
        let mut connection = None;
        let mut next = Vec::with_capacity(1);
        while self.queue.take(&mut next, 1) {
            for job in next.drain(..) {
                connection = self.run_job(connection, job);
            }
        }
    }

    /// Runs a job, and returns the connection unless it cannot be used any more.
    fn run_job(&self, connection: Option<Connection>, job: Job) -> Option<Connection> {
        let connected = match connection {
            Some(connection) => Ok(connection),
            None => self.place.connect(self.purpose).map_err(|error| store_error(&error)),
        };
        let mut connection = match connected {
            Ok(connection) => connection,
            Err(error) => {
                tracing::error!(%error, "no connection can be made");
                job(Err(error));
                return None;
            }
        };
        if catch_unwind(AssertUnwindSafe(|| job(Ok(&mut connection)))).is_err() {
            tracing::error!("a read has panicked; the connection is replaced");
            connection.discard();
            return None;
        }
        connection.forget_statements();
        Some(connection)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_the_thread_that_steps_back_goes_last() {
        let usual = getpriority_process(None).unwrap();
        let stepped = thread::spawn(|| {
            step_back();
            getpriority_process(None).unwrap()
        });
        assert!(stepped.join().unwrap() > usual);
        assert_eq!(getpriority_process(None).unwrap(), usual);
    }
}
