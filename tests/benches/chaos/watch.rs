//! Watches the health of a node.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::client::Client;

const EVERY: Duration = Duration::from_millis(50);

/// A thread that requests the health of a node continually.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    seen: Arc<Mutex<Seen>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Seen {
    /// The time of each response of `/health/ready`, and whether it was 200.
    ready: Vec<(Instant, bool)>,
    /// Responses of `/health/live` other than 200.
    dead: Vec<String>,
}

impl Watch {
    /// Watches the node of this client.
    pub(crate) fn start(client: Client) -> Self {
        let (stop, seen) =
            (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Seen::default())));
        let thread = {
            let (stop, seen) = (Arc::clone(&stop), Arc::clone(&seen));
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let ready = client.status("/health/ready");
                    let live = client.status("/health/live");
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.ready.push((Instant::now(), ready == Ok(200)));
                    if live != Ok(200) {
                        seen.dead.push(format!("/health/live: {live:?}"));
                    }
                    drop(seen);
                    thread::sleep(EVERY);
                }
            })
        };
        Self { stop, seen, thread: Some(thread) }
    }

    /// The time from `since` to the first failure of readiness.
    pub(crate) fn failed_after(&self, since: Instant) -> Option<Duration> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut later = seen.ready.iter().filter(|(at, _)| *at > since);
        later.find(|(_, is_ready)| !is_ready).map(|(at, _)| at.duration_since(since))
    }

    /// Waits until the node is ready, and returns the time from `since` to that.
    pub(crate) fn ready_after(&self, since: Instant, limit: Duration) -> Option<Duration> {
        while since.elapsed() < limit {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((at, true)) = seen.ready.last().filter(|(at, _)| *at > since) {
                return Some(at.duration_since(since));
            }
            drop(seen);
            thread::sleep(EVERY);
        }
        None
    }

    /// Failures of liveness.
    pub(crate) fn dead(&self) -> Vec<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).dead.clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
