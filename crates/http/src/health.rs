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

/// How long a result of the store is reused, so that many probes do not cause many pings. Together
/// with [`PATIENCE`] less than the second within which readiness has to change.
const FRESH: Duration = Duration::from_millis(200);

/// The most time for a ping of the store.
const PATIENCE: Duration = Duration::from_millis(600);

/// The health of the process.
pub(crate) struct Health {
    readiness: Arc<dyn Readiness>,
    stopping: AtomicBool,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Health {
    /// Healthy while the store answers.
    pub(crate) fn new(readiness: Arc<dyn Readiness>) -> Self {
        Self { readiness, stopping: AtomicBool::new(false), last: Mutex::new(None) }
    }

    /// Not ready from now on, because the process is stopping.
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
            Some((at, ready)) if at.elapsed() < FRESH => ready,
            _ => {
                let pinged = tokio::time::timeout(PATIENCE, self.readiness.ping()).await;
                let ready = matches!(pinged, Ok(Ok(())));
                let was = last.replace((Instant::now(), ready)).is_none_or(|(_, ready)| ready);
                if was && !ready {
                    tracing::warn!(
                        "the store does not answer: /health/ready fails until it does; \
                         check that it can be reached and has room"
                    );
                } else if !was && ready {
                    tracing::info!("the store answers again");
                }
                ready
            }
        }
    }
}
