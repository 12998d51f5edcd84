//! Metrics for Prometheus.

mod credentials;
mod families;

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use actix_web::http::{Method, StatusCode};
use patrol_domain::{Clock, Monitored};
use prometheus::{
    Encoder, Gauge, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts,
    Registry, TextEncoder,
};

pub(crate) use credentials::CredentialMetrics;

use crate::{build::Build, error::Code};

/// Upper bounds of the buckets of durations, in seconds: from a read by id to a long list.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// Methods with their own label. Others are `OTHER`, because a client must not be able to create
/// labels.
const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];
const OTHER_METHOD: &str = "OTHER";

/// The statuses with their own metrics; more than the API uses.
const STATUSES: std::ops::Range<u16> = 200..600;

/// The label of all unknown paths.
const NO_ROUTE: &str = "unmatched";

/// The counters and histograms of all routes.
pub(crate) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    broken: IntCounterVec,
    errors: IntCounterVec,
    ready: Gauge,
    uptime: Gauge,
    started: Instant,
    /// By index of the route and by method. A request finds its counters without a lock and without
    /// building a label.
    routes: Vec<RouteMetrics>,
}

/// The metrics of one route.
struct RouteMetrics {
    route: Box<str>,
    methods: [OnceLock<MethodMetrics>; METHODS.len() + 1],
}

/// The metrics of one method of a route: by status, starting with the first of [`STATUSES`].
type MethodMetrics = Box<[OnceLock<StatusMetrics>]>;

/// The metrics of one status of a method.
struct StatusMetrics {
    requests: IntCounter,
    duration: Histogram,
}

/// The index of a route in the metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RouteIndex(pub(crate) usize);

impl Metrics {
    /// Metrics of the routes with these patterns.
    ///
    /// # Errors
    /// When a metric has an invalid name, which tests rule out.
    pub(crate) fn new<'a>(
        routes: impl IntoIterator<Item = &'a str>,
        clock: &dyn Clock,
        build: Build,
    ) -> prometheus::Result<Self> {
        let registry = Registry::new();
        let requests = IntCounterVec::new(
            Opts::new("http_requests_total", "Requests answered, by method, route and status."),
            &["method", "route", "status"],
        )?;
        let durations = HistogramVec::new(
            HistogramOpts::new(
                "http_request_duration_seconds",
                "Time from the head of a request to the head of its answer.",
            )
            .buckets(BUCKETS.to_vec()),
            &["method", "route", "status"],
        )?;
        let broken = IntCounterVec::new(
            Opts::new(
                "http_answers_broken_total",
                "Requests whose answer the client did not get whole, by route and reason.",
            ),
            &["route", "reason"],
        )?;
        registry.register(Box::new(broken.clone()))?;
        let errors = IntCounterVec::new(
            Opts::new(
                "http_request_errors_total",
                "Requests answered with an error, by method, route and code of the error.",
            ),
            &["method", "route", "code"],
        )?;
        registry.register(Box::new(errors.clone()))?;
        let ready = Gauge::new(
            "patrol_ready",
            "1 if the store answers and the server is not stopping, as in /health/ready.",
        )?;
        let uptime = Gauge::new("process_uptime_seconds", "Time since the start.")?;
        let start = Gauge::new(
            "process_start_time_seconds",
            "When the process started, in seconds since 1970.",
        )?;
        start.set(Duration::from_millis(clock.now().millis().unsigned_abs()).as_secs_f64());
        let build_info = Opts::new("patrol_build_info", "Which build of Patrol runs: always 1.")
            .const_label("version", build.version)
            .const_label("commit", build.commit);
        let build_info = Gauge::with_opts(build_info)?;
        build_info.set(1.0);
        registry.register(Box::new(build_info))?;
        registry.register(Box::new(requests.clone()))?;
        registry.register(Box::new(durations.clone()))?;
        registry.register(Box::new(ready.clone()))?;
        registry.register(Box::new(uptime.clone()))?;
        registry.register(Box::new(start))?;
        let routes = routes.into_iter().chain([NO_ROUTE]).map(RouteMetrics::new).collect();
        let started = Instant::now();
        Ok(Self { registry, requests, durations, broken, errors, ready, uptime, started, routes })
    }

    /// Counts a response. A request without a known route counts as unmatched.
    pub(crate) fn note(
        &self,
        route: Option<RouteIndex>,
        method: &Method,
        status: StatusCode,
        took: Duration,
    ) {
        let known = route.and_then(|RouteIndex(at)| self.routes.get(at));
        let Some(route) = known.or(self.routes.last()) else { return };
        let at = METHODS.iter().position(|known| known == method).unwrap_or(METHODS.len());
        let Some(method) = route.methods.get(at) else { return };
        let name = METHODS.get(at).map_or(OTHER_METHOD, Method::as_str);
        let statuses = method.get_or_init(|| STATUSES.map(|_| OnceLock::new()).collect());
        let status = status.as_u16().clamp(STATUSES.start, STATUSES.end - 1);
        let Some(slot) = statuses.get(usize::from(status - STATUSES.start)) else { return };
        let StatusMetrics { requests, duration } = slot.get_or_init(|| {
            let labels = [name, &route.route, &status.to_string()];
            StatusMetrics {
                requests: self.requests.with_label_values(&labels),
                duration: self.durations.with_label_values(&labels),
            }
        });
        requests.inc();
        duration.observe(took.as_secs_f64());
    }

    /// Counts a response with an error.
    pub(crate) fn note_error(&self, route: Option<RouteIndex>, method: &Method, code: Code) {
        let labels = [method_name(method), self.pattern(route), code.name()];
        self.errors.with_label_values(&labels).inc();
    }

    /// Counts a response that the connection sent without the app: for malformed bytes, a late or too
    /// large head, or HTTP on a port with TLS.
    pub(crate) fn note_refused(&self, code: Code) {
        let status = code.status().as_u16().to_string();
        self.requests.with_label_values(&[OTHER_METHOD, NO_ROUTE, &status]).inc();
        self.errors.with_label_values(&[OTHER_METHOD, NO_ROUTE, code.name()]).inc();
    }

    /// Counts an incomplete response.
    pub(crate) fn note_broken(&self, route: Option<RouteIndex>, reason: &'static str) {
        self.broken.with_label_values(&[self.pattern(route), reason]).inc();
    }

    /// The name of a route in metrics and log: its pattern. `unmatched` for an unknown path,
    /// because the path may contain a secret, for example a pasted token.
    pub(crate) fn pattern(&self, route: Option<RouteIndex>) -> &str {
        let known = route.and_then(|RouteIndex(at)| self.routes.get(at));
        known.map_or(NO_ROUTE, |route| &route.route)
    }

    /// All metrics as text, including those of `monitored`.
    pub(crate) fn text(
        &self,
        monitored: &[Arc<dyn Monitored>],
        is_ready: bool,
    ) -> prometheus::Result<Vec<u8>> {
        self.uptime.set(self.started.elapsed().as_secs_f64());
        self.ready.set(f64::from(u8::from(is_ready)));
        let mut text = Vec::new();
        let encoder = TextEncoder::new();
        encoder.encode(&self.registry.gather(), &mut text)?;
        encoder.encode(&families::families(monitored), &mut text)?;
        Ok(text)
    }
}

/// The name of a method in metrics and log: `OTHER` for an unknown method, because a client may
/// send any word, even a token.
pub(crate) fn method_name(method: &Method) -> &str {
    if METHODS.contains(method) { method.as_str() } else { OTHER_METHOD }
}

impl RouteMetrics {
    fn new(route: &str) -> Self {
        Self { route: route.into(), methods: Default::default() }
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{Timestamp, shared::ports::MockClock};

    use super::*;

    fn measured() -> Metrics {
        let mut clock = MockClock::new();
        clock.expect_now().returning(|| Timestamp::from_millis(1_769_846_400_500).unwrap());
        let build = Build { version: "1.2.0", commit: "0123456789ab" };
        Metrics::new(["/v1/task-executions/{id}"], &clock, build).unwrap()
    }

    fn text(metrics: &Metrics) -> String {
        String::from_utf8(metrics.text(&[], true).unwrap()).unwrap()
    }

    #[test]
    fn requests_are_counted_by_method_route_and_status() {
        let metrics = measured();
        let route = Some(RouteIndex(0));
        for status in [200, 200, 404] {
            let status = StatusCode::from_u16(status).unwrap();
            metrics.note(route, &Method::GET, status, Duration::from_millis(3));
        }
        metrics.note_error(route, &Method::GET, Code::NotFound);
        let text = text(&metrics);
        for line in [
            "http_requests_total{method=\"GET\",route=\"/v1/task-executions/{id}\",status=\"200\"} 2",
            "http_requests_total{method=\"GET\",route=\"/v1/task-executions/{id}\",status=\"404\"} 1",
            "http_request_duration_seconds_bucket{method=\"GET\",\
             route=\"/v1/task-executions/{id}\",status=\"200\",le=\"0.005\"} 2",
            "http_request_duration_seconds_bucket{method=\"GET\",\
             route=\"/v1/task-executions/{id}\",status=\"404\",le=\"0.0025\"} 0",
            "http_request_errors_total{code=\"not.found\",method=\"GET\",\
             route=\"/v1/task-executions/{id}\"} 1",
            "patrol_ready 1",
            "patrol_build_info{commit=\"0123456789ab\",version=\"1.2.0\"} 1",
            "process_start_time_seconds 1769846400.5",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn unknown_methods_share_one_label() {
        let metrics = measured();
        for name in ["BREW", "LINK", "PROPFIND"] {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            metrics.note(None, &method, StatusCode::NOT_FOUND, Duration::ZERO);
        }
        let line = "http_requests_total{method=\"OTHER\",route=\"unmatched\",status=\"404\"} 3";
        assert!(text(&metrics).contains(line));
    }
}
