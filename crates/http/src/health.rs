//! Whether the process runs and whether it can do its work (operations).

pub(crate) mod page;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use patrol_domain::Readiness;
use tokio::sync::Mutex;

/// How long an answer of the store is used again, so that a flood of probes does not become a
/// flood of pings. Together with [`PATIENCE`] within the second that operations allow.
const FRESH: Duration = Duration::from_millis(200);

/// How long the store may take to answer a ping.
const PATIENCE: Duration = Duration::from_millis(600);

/// The health of the process.
pub(crate) struct Health {
    readiness: Arc<dyn Readiness>,
    stopping: AtomicBool,
    last: Mutex<Option<(Instant, bool)>>,
}

impl Health {
    /// Healthy as long as the store answers.
    pub(crate) fn new(readiness: Arc<dyn Readiness>) -> Self {
        Self { readiness, stopping: AtomicBool::new(false), last: Mutex::new(None) }
    }

    /// From now on not ready: the process is going to end.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    /// Whether the process is going to end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Whether requests can be answered.
    async fn is_ready(&self) -> bool {
        if self.is_stopping() {
            return false;
        }
        // Probes that come together wait here and share one ping.
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
