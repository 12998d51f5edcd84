//! What the adapter is given: the use cases it calls and the settings it keeps to.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use patrol_application::{
    AccessService, CheckListService, LocationService, PhotoService, PointService, SeriesService,
    TaskExecutionService, UserService,
};
use patrol_domain::{Clock, Ids, Limits, Monitored, Readiness, access::Authentication};

/// The use cases and ports that requests are answered with.
#[derive(Clone)]
pub struct Services {
    /// Task executions.
    pub executions: TaskExecutionService,
    /// Series of executions.
    pub series: SeriesService,
    /// Users.
    pub users: UserService,
    /// Photos of users.
    pub photos: PhotoService,
    /// Locations.
    pub locations: LocationService,
    /// Points and their history.
    pub points: PointService,
    /// Check-list actions.
    pub check_lists: CheckListService,
    /// Tokens.
    pub access: AccessService,
    /// Tells whom a credential speaks for.
    pub authentication: Arc<dyn Authentication>,
    /// Tells whether the store can be used.
    pub readiness: Arc<dyn Readiness>,
    /// The parts whose figures `/metrics` shows.
    pub monitored: Vec<Arc<dyn Monitored>>,
    /// Which build of the program this is.
    pub build: Build,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives new ids, request ids among them.
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

/// How the server listens and what it takes (decisions 8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Address and port; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Threads that answer requests: 1 to [`Settings::MOST_WORKERS`].
    pub workers: usize,
    /// Most connections at once.
    pub connections: usize,
    /// How long connections are still accepted once the server has been asked to stop.
    pub drain: Duration,
    /// Bytes of memory that bodies in flight may take together.
    pub bodies: usize,
    /// Greatest JSON body, in bytes.
    pub body_limit: usize,
    /// Greatest JSON body of a batch, in bytes.
    pub batch_limit: usize,
    /// Greatest photo, in bytes.
    pub photo_limit: usize,
    /// Deepest nesting of a JSON body.
    pub nesting: usize,
    /// How long the head of a request may take to arrive, and its body again.
    pub request_timeout: Duration,
    /// How long a connection is kept between two requests.
    pub keep_alive: Duration,
    /// Greatest head of a request, in bytes.
    pub header_limit: usize,
    /// Failed authentications from one address within a minute, above which further ones are
    /// answered with 429.
    pub failed_authentications: u32,
    /// Bounds of the fields, for the description of the API; the use cases enforce them.
    pub limits: Limits,
    /// Most pixels of a photo, for the description of the API.
    pub photo_pixels: u64,
}

impl Settings {
    /// Most threads that actix takes.
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
