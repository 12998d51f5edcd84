//! Puts the parts together: the only place that names concrete adapters.

use std::sync::Arc;

use patrol_application::{
    AccessService, CheckListService, DataSetService, LocationService, PhotoService, PointService,
    SeriesService, TaskExecutionService, UserService, rules,
};
use patrol_domain::{Clock, Ids, Limits, Rules};
use patrol_http::Services;
use patrol_identity::{OpaqueTokens, RandomMint};
use patrol_photos::{Cleaner, PhotoStore};
use patrol_sqlite::{LockPatience, OpenError, Settings, Store};

use crate::{
    error::CommandError,
    settings::{Configuration, Database, PhotoSettings},
    system::{SystemClock, TimedIds},
};

/// Jobs that may wait for each kind of the store's threads. Beyond that, requests are answered
/// with 503 rather than late.
const QUEUE: usize = 1024;

/// The parts of the program over one store.
pub(crate) struct Wiring {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    rules: Rules,
}

/// How to open the store that is configured.
pub(crate) fn store_settings(
    configuration: &Configuration,
    lock: LockPatience,
) -> Result<Settings, CommandError> {
    match &configuration.database {
        Database::Sqlite(path) => {
            let readers = std::thread::available_parallelism().map_or(1, usize::from);
            Ok(Settings { path: path.clone(), readers, queue: QUEUE, lock })
        }
        Database::Postgres => Err(CommandError::Usage(
            "database_url: this build has no PostgreSQL; use `sqlite:PATH`".to_owned(),
        )),
    }
}

impl Wiring {
    /// The parts over the store that is configured, for a command that runs beside a server.
    pub(crate) fn for_command(configuration: &Configuration) -> Result<Self, CommandError> {
        let settings = store_settings(configuration, LockPatience::Command)?;
        Ok(Self::over(Store::open(&settings)?, configuration.limits))
    }

    /// The parts over a store.
    pub(crate) fn over(store: Store, limits: Limits) -> Self {
        Self {
            store: Arc::new(store),
            clock: Arc::new(SystemClock),
            ids: Arc::new(TimedIds),
            rules: rules(limits),
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    pub(crate) const fn rules(&self) -> Rules {
        self.rules
    }

    pub(crate) fn access(&self) -> AccessService {
        AccessService::new(
            self.store.clone(),
            self.store.clone(),
            Arc::new(RandomMint),
            Arc::clone(&self.clock),
            Arc::clone(&self.ids),
            self.rules,
        )
    }

    /// The photos at the place that is configured.
    pub(crate) fn photos(&self, settings: &PhotoSettings) -> Result<PhotoService, CommandError> {
        let PhotoSettings { place, pixels } = settings;
        Ok(PhotoService::new(
            self.store.clone(),
            self.store.clone(),
            Arc::new(PhotoStore::open(place)?),
            Arc::new(Cleaner::new(*pixels)),
            Arc::clone(&self.clock),
            Arc::clone(&self.ids),
        ))
    }

    pub(crate) fn data_sets(&self) -> DataSetService {
        DataSetService::new(self.store.clone(), Arc::clone(&self.clock))
    }

    pub(crate) fn authentication(&self) -> Arc<OpaqueTokens> {
        Arc::new(OpaqueTokens::new(self.store.clone(), Arc::clone(&self.clock)))
    }

    /// What requests are answered with.
    pub(crate) fn services(
        &self,
        authentication: Arc<OpaqueTokens>,
        photos: PhotoService,
    ) -> Services {
        let (store, clock, ids) = (&self.store, &self.clock, &self.ids);
        Services {
            executions: TaskExecutionService::new(store.clone(), Arc::clone(ids), self.rules),
            series: SeriesService::new(store.clone(), Arc::clone(ids), self.rules),
            users: UserService::new(store.clone(), self.rules),
            photos,
            locations: LocationService::new(store.clone()),
            points: PointService::new(
                store.clone(),
                Arc::clone(clock),
                Arc::clone(ids),
                self.rules,
            ),
            check_lists: CheckListService::new(store.clone(), self.rules),
            access: self.access(),
            authentication,
            readiness: store.clone(),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
        }
    }

    /// Finishes what the store has to do.
    pub(crate) async fn close(self) {
        Store::clone(&self.store).close().await;
    }
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
        }
    }
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> Self {
        let advice = match error {
            OpenError::Inaccessible { .. } => {
                "check the path and its permissions, or choose \
                another file with --database-url"
            }
            OpenError::Damaged { .. } => {
                "restore a backup, or choose another file with \
                --database-url"
            }
            OpenError::Busy { .. } => "try again when that process is done",
            OpenError::Schema { .. } => "free space if there is none, or report this",
        };
        Self::Failed(format!("{error}; {advice}"))
    }
}
