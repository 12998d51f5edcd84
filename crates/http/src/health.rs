//! Whether the process runs and whether it can do its work (operations).

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
    },
};
use patrol_domain::Readiness;
use tokio::sync::Mutex;

use crate::route::{Answer, Page, PageContext};

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

/// The pages that probes ask for.
pub(crate) fn pages() -> Vec<Page> {
    vec![Page::new("/health/live", live), Page::new("/health/ready", ready)]
}

async fn live(_: PageContext) -> Answer {
    Ok(status_answer(StatusCode::OK, "{\"status\":\"live\"}"))
}

async fn ready(context: PageContext) -> Answer {
    Ok(if context.shared.health.is_ready().await {
        status_answer(StatusCode::OK, "{\"status\":\"ready\"}")
    } else {
        status_answer(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"unavailable\"}")
    })
}

fn status_answer(status: StatusCode, body: &'static str) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .body(body)
}
