//! What all requests share: services, settings, limits and counters.

use std::{
    io,
    net::IpAddr,
    sync::{Arc, atomic::AtomicUsize},
    time::Duration,
};

use actix_web::{dev::ServiceRequest, web::Data};
use bytes::Bytes;
use patrol_domain::Monitored;

use crate::{
    answer_memory::AnswerMemory,
    body_kind::BodyKind,
    budget::MemoryBudget,
    error::ApiError,
    event_waiters::EventWaiters,
    health::Health,
    load::Load,
    metrics::{CredentialMetrics, Metrics},
    next_starts::NextStarts,
    page::Site,
    request_limit::RequestLimit,
    services::Services,
    settings::Settings,
    throttle::Throttle,
};

/// The maximum number of long lists of one user that run at once in this process. Long lists have
/// no limit or one above 1,000, or their page takes more than 1 MiB.
const MAX_LONG_LISTS: usize = 4;

/// How long the next long list of a user waits until another one ends.
const LONG_LIST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the next expansion of a user waits until the one before it ends.
const EXPANSION_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the next request of a user for figures waits until the one before it ends.
const FIGURES_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the next slow request of a client waits until another one ends.
const SLOW_REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// The state that all requests share. Each worker has a clone, so that requests of different
/// workers change no common counter.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) services: Services,
    pub(crate) settings: Settings,
    /// Liveness and readiness of the server.
    pub(crate) health: Arc<Health>,
    pub(crate) metrics: Arc<Metrics>,
    /// Counts wrong tokens by address.
    pub(crate) throttle: Arc<Throttle>,
    /// Counts rejected credentials by reason.
    pub(crate) credentials: Arc<CredentialMetrics>,
    /// The memory for request bodies.
    pub(crate) bodies: Arc<MemoryBudget>,
    /// The memory for responses.
    pub(crate) answers: Arc<AnswerMemory>,
    /// Connections and requests in progress.
    pub(crate) load: Arc<Load>,
    /// The requests in flight of this worker.
    pub(crate) in_flight: Arc<AtomicUsize>,
    /// The description of the API.
    pub(crate) description: Bytes,
    /// The long lists that each user is reading.
    pub(crate) long_lists: Arc<RequestLimit>,
    /// Expansions of schedules that users wait for: previews, dry runs and updates of a series. One
    /// for each user.
    pub(crate) schedule_expansions: Arc<RequestLimit>,
    /// Requests for figures. One for each user.
    pub(crate) figures: Arc<RequestLimit>,
    /// When the next rounds of scheduled tasks start.
    pub(crate) next_starts: Arc<NextStarts>,
    /// Requests that wait for new events.
    pub(crate) event_waiters: Arc<EventWaiters>,
    /// Requests of a client that take much time, such as those with a password.
    pub(crate) slow_requests: Arc<RequestLimit<IpAddr>>,
    /// The pages of the site, which another crate provides; `None` without a site.
    pub(crate) site: Option<Site>,
}

impl Shared {
    /// The state of a server with routes of these patterns.
    ///
    /// # Errors
    /// When the metrics are invalid, which tests rule out.
    pub(crate) fn new<'a>(
        mut services: Services,
        settings: Settings,
        patterns: impl IntoIterator<Item = &'a str>,
        description: Bytes,
        site: Option<Site>,
    ) -> io::Result<Self> {
        let load = Arc::new(Load::new(settings.connections));
        let bodies = MemoryBudget::new(settings.bodies);
        if let Some(needed) = bodies.needed_for(BodyKind::largest(&settings)) {
            tracing::warn!(
                bodies = settings.bodies,
                needed,
                "the largest body with an Idempotency-Key always gets 503: raise PATROL_BODIES, or \
                 lower PATROL_LIMIT_BODY, PATROL_LIMIT_BATCH or PATROL_LIMIT_PHOTO"
            );
        }
        // With those of the bodies, less than the process may grow by.
        let answers = AnswerMemory::new(settings.bodies / 2);
        let credentials = Arc::new(CredentialMetrics::default());
        let parts: [Arc<dyn Monitored>; 4] =
            [load.clone(), bodies.clone(), answers.clone(), credentials.clone()];
        services.monitored.extend(parts);
        let metrics = Metrics::new(patterns, services.clock.as_ref(), services.build);
        let metrics = metrics.map_err(io::Error::other)?;
        Ok(Self {
            health: Arc::new(Health::new(Arc::clone(&services.readiness))),
            throttle: Arc::new(Throttle::new(settings.failed_authentications)),
            bodies,
            answers,
            credentials,
            in_flight: load.worker(),
            load,
            long_lists: RequestLimit::new(MAX_LONG_LISTS, LONG_LIST_TIMEOUT),
            schedule_expansions: RequestLimit::new(1, EXPANSION_TIMEOUT),
            figures: RequestLimit::new(1, FIGURES_TIMEOUT),
            next_starts: NextStarts::new(),
            slow_requests: RequestLimit::new(1, SLOW_REQUEST_TIMEOUT),
            event_waiters: Arc::default(),
            metrics: Arc::new(metrics),
            description,
            site,
            services,
            settings,
        })
    }

    /// The state of a new worker, as the data of its app.
    pub(crate) fn for_worker(&self) -> Data<Self> {
        Data::new(Self { in_flight: self.load.worker(), ..self.clone() })
    }

    /// The state in the app data of this request.
    ///
    /// # Errors
    /// When the app data is missing, which is a defect.
    pub(crate) fn of(request: &ServiceRequest) -> Result<&Data<Self>, ApiError> {
        request.app_data().ok_or_else(|| ApiError::internal("the app has no shared state"))
    }
}
