//! The input of the adapter: use cases and settings.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use patrol_application::{
    AccessService, CheckListService, EventService, LocationService, PhotoService, PointService,
    SeriesService, TaskExecutionService, UserService,
};
use patrol_domain::{Clock, Ids, Limits, Monitored, Readiness, access::Authentication};

/// The use cases and ports that answer requests.
#[derive(Clone)]
pub struct Services {
    /// Read, change, delete, copy and list executions.
    pub executions: TaskExecutionService,
    /// Change the rest of a series.
    pub series: SeriesService,
    /// Change one or many users.
    pub users: UserService,
    /// Upload, read and delete photos of users.
    pub photos: PhotoService,
    /// List locations.
    pub locations: LocationService,
    /// Create, read, replace and delete points; list their history.
    pub points: PointService,
    /// Change and delete actions of check-lists.
    pub check_lists: CheckListService,
    /// Issue, list and revoke tokens.
    pub access: AccessService,
    /// Read the log of changes.
    pub events: EventService,
    /// Finds the user of a credential.
    pub authentication: Arc<dyn Authentication>,
    /// Checks whether the store can be used.
    pub readiness: Arc<dyn Readiness>,
    /// The parts whose figures `/metrics` shows.
    pub monitored: Vec<Arc<dyn Monitored>>,
    /// The build of the program.
    pub build: Build,
    /// The clock, for times in responses and logs.
    pub clock: Arc<dyn Clock>,
    /// Generates ids, also for requests.
    pub ids: Arc<dyn Ids>,
}

/// Identifies a build of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Build {
    /// For example `1.2.0`.
    pub version: &'static str,
    /// The commit that it was built from, for example `5149410a1b2c`, or `unknown`.
    pub commit: &'static str,
}

/// How the server listens, and its limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Address and port; port 0 chooses a free one.
    pub listen: SocketAddr,
    /// Threads that answer requests: 1 to [`Settings::MOST_WORKERS`].
    pub workers: usize,
    /// The most connections at once.
    pub connections: usize,
    /// How long connections are still accepted after the stop signal.
    pub drain: Duration,
    /// The memory budget for bodies in flight, in bytes.
    pub bodies: usize,
    /// The greatest JSON body, in bytes.
    pub body_limit: usize,
    /// The greatest JSON body of a batch, in bytes.
    pub batch_limit: usize,
    /// The greatest photo, in bytes.
    pub photo_limit: usize,
    /// The deepest nesting of a JSON body.
    pub nesting: usize,
    /// How long the head of a request may take to arrive, and then its body.
    pub request_timeout: Duration,
    /// How long an idle connection is kept.
    pub keep_alive: Duration,
    /// The greatest head of a request, in bytes.
    pub header_limit: usize,
    /// Failed authentications of one address within a minute; more get 429.
    pub failed_authentications: u32,
    /// Bounds of the fields, for the description of the API; the use cases enforce them.
    pub limits: Limits,
    /// The most pixels of a photo, for the description of the API.
    pub photo_pixels: u64,
}

impl Settings {
    /// The most worker threads that actix supports.
    pub const MOST_WORKERS: usize = 512;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            workers: std::thread::available_parallelism()
                .map_or(1, usize::from)
                .min(Self::MOST_WORKERS),
            connections: 10_000,
            drain: Duration::from_secs(1),
            bodies: 256 << 20,
            body_limit: 2 << 20,
            batch_limit: 8 << 20,
            photo_limit: 10 << 20,
            nesting: 64,
            request_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(75),
            header_limit: 32 << 10,
            failed_authentications: 1000,
            limits: Limits::default(),
            photo_pixels: 25_000_000,
        }
    }
}
