//! The settings of the server.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use patrol_domain::Limits;

use crate::{client_address::TrustedProxies, cors::AllowedOrigins};

/// How the server listens, and its limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Address and port; port 0 chooses a free one.
    pub listen: SocketAddr,
    /// Threads that answer requests: 1 to [`Settings::MAX_WORKERS`].
    pub workers: usize,
    /// The maximum number of connections at once.
    pub connections: usize,
    /// How long connections are still accepted after the stop signal.
    pub drain: Duration,
    /// The memory budget for bodies in flight, in bytes.
    pub bodies: usize,
    /// The largest JSON body, in bytes.
    pub body_limit: usize,
    /// The largest JSON body of a batch, in bytes.
    pub batch_limit: usize,
    /// The largest photo, and the largest picture of a graphic plan, in bytes.
    pub photo_limit: usize,
    /// The largest medium, in bytes.
    pub media_limit: usize,
    /// The deepest nesting of a JSON body.
    pub nesting: usize,
    /// How long the head of a request may take to arrive, how long its body, how long a client may
    /// read nothing of its response, and how long requests in flight may take after the stop.
    pub request_timeout: Duration,
    /// How long an idle connection is kept.
    pub keep_alive: Duration,
    /// The largest head of a request, in bytes.
    pub header_limit: usize,
    /// The reverse proxies whose `X-Forwarded-For` names the client.
    pub trusted_proxies: TrustedProxies,
    /// The origins whose pages may call the API.
    pub cors_origins: AllowedOrigins,
    /// The failed authentications of one address within a minute; further ones get 429.
    pub failed_authentications: u32,
    /// How long the answer to a request with an `Idempotency-Key` is kept.
    pub idempotency_keep: Duration,
    /// Bounds of the fields, for the description of the API; the use cases enforce them.
    pub limits: Limits,
    /// The maximum number of pixels of a photo or a graphic plan, for the description of the API.
    pub photo_pixels: u64,
}

impl Settings {
    /// The maximum number of worker threads that actix supports.
    pub const MAX_WORKERS: usize = 512;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            workers: std::thread::available_parallelism()
                .map_or(1, usize::from)
                .min(Self::MAX_WORKERS),
            connections: 10_000,
            drain: Duration::from_secs(1),
            bodies: 256 << 20,
            body_limit: 2 << 20,
            batch_limit: 8 << 20,
            photo_limit: 10 << 20,
            media_limit: 50 << 20,
            nesting: 64,
            request_timeout: Duration::from_secs(30),
            keep_alive: Duration::from_secs(75),
            header_limit: 32 << 10,
            trusted_proxies: TrustedProxies::default(),
            cors_origins: AllowedOrigins::default(),
            failed_authentications: 1000,
            idempotency_keep: Duration::from_secs(24 * 3600),
            limits: Limits::default(),
            photo_pixels: 25_000_000,
        }
    }
}
