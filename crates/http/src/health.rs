//! Liveness and readiness.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use patrol_domain::Readiness;
use tokio::sync::Mutex;

/// How long the result of a ping is reused, so that many probes do not cause many pings. Readiness
/// has to change within a second, so this and [`PING_TIMEOUT`] together are less.
const MAX_AGE: Duration = Duration::from_millis(200);

/// The longest time for a ping of the store.
const PING_TIMEOUT: Duration = Duration::from_millis(600);

/// The health of the process.
pub(crate) struct Health {
    readiness: Arc<dyn Readiness>,
    stopping: AtomicBool,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Health {
    /// The process is ready while `readiness`, the store, answers.
    pub(crate) fn new(readiness: Arc<dyn Readiness>) -> Self {
        Self { readiness, stopping: AtomicBool::new(false), last: Mutex::new(None) }
    }

    /// Makes readiness fail from now on, because the process is stopping.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    /// Whether the process is stopping.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Whether requests can be answered.
    pub(crate) async fn is_ready(&self) -> bool {
        if self.is_stopping() {
            return false;
        }
        // Concurrent probes wait here and share one ping.
        let mut last = self.last.lock().await;
        match *last {
            Some((at, ready)) if at.elapsed() < MAX_AGE => ready,
            _ => {
                let pinged = tokio::time::timeout(PING_TIMEOUT, self.readiness.ping()).await;
                let failure = match pinged {
                    Ok(Ok(())) => None,
                    Ok(Err(error)) => Some(error.to_string()),
                    Err(_) => Some(format!("no answer within {} ms", PING_TIMEOUT.as_millis())),
                };
                let ready = failure.is_none();
                let was_ready =
                    last.replace((Instant::now(), ready)).is_none_or(|(_, ready)| ready);
                match failure {
                    Some(error) if was_ready => tracing::warn!(
                        error,
                        "the store does not answer: /health/ready fails until it does; \
                         check that it can be reached and has room"
                    ),
                    None if !was_ready => tracing::info!("the store answers again"),
                    _ => {}
                }
                ready
            }
        }
    }
}
