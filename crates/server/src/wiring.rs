//! Connects the use cases, HTTP and the adapters.

use std::{env, ffi::OsString, sync::Arc, time::Duration};

use patrol_application::{
    AccessService, CheckListActionService, Context, DataSetService, EventService, FiguresService,
    GraphicPlanService, ImageService, ImportService, MediaService, PhotoService,
    PointHistoryService, RecordService, ReportService, RoundService, ScheduleService, SeriesPorts,
    SeriesService, SignInPorts, SignInService, TaskExecutionService, UserService, rules,
};
use patrol_domain::{
    Clock, Ids, Limits, Rules, access::Authentication, location::Location, point::Point,
    report::PresenceRadius, schedule::TimeZone, sign_in::SessionLimits,
    task_execution::Punctuality,
};
use patrol_http::{Services, Site};
use patrol_identity::{BoundedHashing, JwtTokens, OpaqueTokens, Provider, RandomSecrets};
use patrol_photos::{Cleaner, PhotoStore};
use patrol_site::SiteServices;

use crate::{
    build::BUILD,
    error::CommandError,
    jobs::{Job, LEASE_TIMES, RunningJobs, Scheduler},
    log::continue_trace,
    settings::{Configuration, PhotoSettings},
    sign_in_log::TracedSignIns,
    store::{Access, Ports, Store},
    store_size::LastStoreSize,
    system::{SystemClock, TimedIds},
};

/// The use cases, and the parts that they need, on one store.
#[derive(Clone)]
pub(crate) struct Wiring {
    store: Store,
    ports: Arc<dyn Ports>,
    repository: Arc<dyn patrol_repository::Ports>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

impl Wiring {
    /// Opens the configured store for a command that may run next to a server.
    pub(crate) async fn for_command(
        configuration: &Configuration,
        access: Access,
    ) -> Result<Self, CommandError> {
        Ok(Self::with_store(Store::for_command(configuration, access).await?, configuration.limits))
    }

    /// Does the work of such a command, and closes the store.
    pub(crate) async fn run<T>(
        configuration: &Configuration,
        access: Access,
        work: impl AsyncFnOnce(&Self) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let wiring = Self::for_command(configuration, access).await?;
        let done = work(&wiring).await;
        wiring.close().await;
        done
    }

    /// Connects the parts with this store.
    pub(crate) fn with_store(store: Store, limits: Limits) -> Self {
        Self {
            ports: store.ports(),
            repository: store.repository(),
            store,
            ids: Arc::new(TimedIds::new(Arc::new(SystemClock))),
            clock: Arc::new(SystemClock),
            rules: rules(limits),
        }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    fn context(&self) -> Context {
        Context::new(Arc::clone(&self.clock), Arc::clone(&self.ids), self.rules)
    }

    pub(crate) const fn rules(&self) -> Rules {
        self.rules
    }

    pub(crate) fn access(&self) -> AccessService {
        AccessService::new(
            self.repository.clone(),
            self.repository.clone(),
            Arc::new(RandomSecrets),
            self.context(),
        )
    }

    /// The use cases of images with the configured photo store.
    pub(crate) fn photos(&self, settings: &PhotoSettings) -> Result<OpenPhotos, CommandError> {
        let PhotoSettings { place, pixels } = settings;
        let store = Arc::new(PhotoStore::open(place, environment())?);
        let images = ImageService::new(
            self.repository.clone(),
            store.clone(),
            Arc::new(Cleaner::new(*pixels)),
            Arc::clone(&self.clock),
            Arc::clone(&self.ids),
        );
        Ok(OpenPhotos { images, store })
    }

    /// The use cases of users.
    pub(crate) fn users(&self) -> UserService {
        UserService::new(self.repository.clone(), self.context())
    }

    /// The use cases of locations.
    pub(crate) fn locations(&self) -> RecordService<Location> {
        RecordService::new(self.repository.clone(), self.context())
    }

    /// The use cases of points.
    pub(crate) fn points(&self) -> RecordService<Point> {
        RecordService::new(self.repository.clone(), self.context())
    }

    /// The use cases of signing in on the site. One instance serves all requests, because it bounds
    /// the memory for passwords.
    pub(crate) fn sign_ins(&self, limits: SessionLimits) -> SignInService {
        let ports = SignInPorts {
            users: self.repository.clone(),
            passwords: self.repository.clone(),
            sessions: self.repository.clone(),
            invitations: self.repository.clone(),
            failures: self.repository.clone(),
            hashing: Arc::new(BoundedHashing::new()),
            secrets: Arc::new(RandomSecrets),
            log: Arc::new(TracedSignIns),
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
        };
        SignInService::new(ports, limits)
    }

    /// The pages of the site.
    pub(crate) fn site(
        &self,
        api: Services,
        sign_in: SignInService,
        photos: &OpenPhotos,
        settings: patrol_site::SiteSettings,
    ) -> Site {
        let services = SiteServices {
            sign_in,
            import_people: ImportService::new(self.repository.clone(), self.context()),
            import_points: ImportService::new(self.repository.clone(), self.context()),
            images: photos.images.clone(),
            secrets: Arc::new(RandomSecrets),
        };
        patrol_site::site(api, services, settings)
    }

    pub(crate) fn data_sets(&self) -> DataSetService {
        DataSetService::new(self.ports.clone(), Arc::clone(&self.clock))
    }

    pub(crate) fn opaque_tokens(&self) -> Arc<OpaqueTokens> {
        Arc::new(OpaqueTokens::new(self.repository.clone(), Arc::clone(&self.clock)))
    }

    /// The verifier of JWTs, the alternative to opaque tokens.
    pub(crate) fn jwt_tokens(&self, provider: Provider) -> Result<Arc<JwtTokens>, CommandError> {
        let tokens = JwtTokens::new(provider, self.repository.clone(), Arc::clone(&self.clock));
        tokens.map(Arc::new).map_err(|error| CommandError::Failed(error.to_string()))
    }

    /// The services that answer requests.
    pub(crate) fn services(
        &self,
        authentication: Arc<dyn Authentication>,
        photos: &OpenPhotos,
        settings: RoundSettings,
        public_url: String,
    ) -> Services {
        let RoundSettings { horizon, radius, punctuality, time_zone } = settings;
        let OpenPhotos { images, store: files } = photos;
        let (store, clock, ids) = (&self.repository, &self.clock, &self.ids);
        let series = SeriesPorts {
            series: store.clone(),
            executions: store.clone(),
            tasks: store.clone(),
            rounds: store.clone(),
        };
        Services {
            executions: TaskExecutionService::new(store.clone(), self.context()),
            reports: ReportService::new(store.clone(), store.clone(), radius, self.context()),
            series: SeriesService::new(series, self.context()),
            scheduled_tasks: RecordService::new(store.clone(), self.context()),
            users: self.users(),
            photos: PhotoService::new(
                store.clone(),
                store.clone(),
                images.clone(),
                Arc::clone(clock),
            ),
            media: MediaService::new(store.clone(), files.clone(), images.clone(), self.context()),
            graphic_plans: GraphicPlanService::new(
                store.clone(),
                store.clone(),
                images.clone(),
                self.context(),
            ),
            locations: self.locations(),
            points: self.points(),
            point_history: PointHistoryService::new(store.clone()),
            check_lists: RecordService::new(store.clone(), self.context()),
            check_list_actions: CheckListActionService::new(store.clone(), self.context()),
            rounds: RoundService::new(
                store.clone(),
                store.clone(),
                store.clone(),
                Arc::clone(clock),
                Arc::clone(ids),
                horizon,
            ),
            schedules: ScheduleService::new(Arc::clone(clock)),
            access: self.access(),
            events: EventService::new(store.clone(), Arc::clone(clock)),
            authentication,
            idempotency_keys: self.ports.clone(),
            readiness: self.ports.clone(),
            monitored: vec![self.ports.clone(), images.monitored(), files.clone()],
            figures: FiguresService::new(store.clone(), Arc::clone(clock), punctuality, time_zone),
            punctuality,
            public_url,
            build: BUILD,
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            continue_trace,
        }
    }

    /// The size of the store, not measured yet.
    pub(crate) fn store_size(&self, events_keep: Duration) -> Arc<LastStoreSize> {
        Arc::new(LastStoreSize::new(self.ports.clone(), events_keep))
    }

    /// Starts the periodic jobs.
    pub(crate) fn start(&self, jobs: Vec<Job>) -> RunningJobs {
        let leases = self.repository.clone();
        let (clock, ids) = (Arc::clone(&self.clock), Arc::clone(&self.ids));
        Scheduler { leases, times: LEASE_TIMES, clock, ids }.start(jobs)
    }

    /// Finishes pending work and closes the store.
    pub(crate) async fn close(self) {
        self.store.close().await;
    }
}

/// How rounds are made, judged and counted.
pub(crate) struct RoundSettings {
    /// How long before its start an execution is made from a schedule.
    pub(crate) horizon: Duration,
    /// A code may be scanned this far from its point without a verdict.
    pub(crate) radius: PresenceRadius,
    pub(crate) punctuality: Punctuality,
    /// The zone of days when a request names none.
    pub(crate) time_zone: TimeZone,
}

/// The use cases of images and the photo store.
pub(crate) struct OpenPhotos {
    /// The use cases of images.
    pub(crate) images: ImageService,
    store: Arc<PhotoStore>,
}

/// The environment variables that are valid UTF-8.
fn environment() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    env::vars_os().filter_map(text)
}

impl From<patrol_photos::OpenError> for CommandError {
    fn from(error: patrol_photos::OpenError) -> Self {
        match error {
            patrol_photos::OpenError::Folder { .. } => Self::Failed(format!(
                "{error}; check the path and its permissions, or choose another with --photos-url"
            )),
            patrol_photos::OpenError::S3 => {
                Self::Usage(format!("{error}; check the variables that begin with AWS_"))
            }
            patrol_photos::OpenError::NoS3 => Self::Usage(format!(
                "{error}; build it with `--features s3`, or choose a folder with --photos-url"
            )),
        }
    }
}
