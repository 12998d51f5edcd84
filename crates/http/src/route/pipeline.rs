//! The steps of every request, before and after its handler.

use std::{
    future::{pending, poll_fn},
    io,
    panic::AssertUnwindSafe,
    rc::Rc,
    sync::{Arc, atomic::AtomicUsize},
    task::Poll,
    time::Instant,
};

use actix_web::{
    App, Error, HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody as _},
    dev::{Payload, ServiceFactory, ServiceRequest, ServiceResponse, fn_service},
    http::{
        ConnectionType, Method, Version,
        header::{CACHE_CONTROL, HeaderMap, HeaderValue, X_CONTENT_TYPE_OPTIONS},
    },
};
use bytes::Bytes;
use futures_util::FutureExt;
use patrol_domain::{Monitored, access::Caller, ids};

use super::{
    Body, Call, FaultStyle, PageContext, Table,
    answer::{Headless, Unfinished, Watched},
    check,
    table::{Found, Path},
};
use crate::{
    body::{self, Bounds},
    budget::MemoryBudget,
    connection::Activity,
    error::{ApiError, Code, Language, Problem},
    header::NOSNIFF,
    health::Health,
    ignored,
    load::Load,
    log::{Answered, Changed},
    long_lists::LongLists,
    metrics::{Metrics, method_name},
    request_id::{REQUEST_ID, RequestId},
    services::{Services, Settings},
    throttle::Throttle,
};

/// The state that all requests share. Each worker has a clone, so that requests of different
/// workers change no common counter.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) services: Services,
    pub(crate) settings: Settings,
    pub(crate) table: Arc<Table>,
    /// Whether the server can do its work.
    pub(crate) health: Arc<Health>,
    pub(crate) metrics: Arc<Metrics>,
    /// Counts wrong tokens by address.
    pub(crate) throttle: Arc<Throttle>,
    /// The memory for request bodies.
    pub(crate) bodies: Arc<MemoryBudget>,
    /// Connections and requests in progress.
    pub(crate) load: Arc<Load>,
    /// The requests in flight of this worker.
    pub(crate) in_flight: Arc<AtomicUsize>,
    /// The description of the API.
    pub(crate) description: Bytes,
    /// The long lists that users are reading.
    pub(crate) long_lists: Arc<LongLists>,
}

impl Shared {
    /// The state of a server with these routes.
    ///
    /// # Errors
    /// When the metrics are invalid, which tests rule out.
    pub(crate) fn new(
        mut services: Services,
        settings: Settings,
        table: Table,
        description: Bytes,
    ) -> io::Result<Self> {
        let load = Arc::new(Load::new(settings.connections));
        let monitored: Arc<dyn Monitored> = load.clone();
        services.monitored.push(monitored);
        let metrics = Metrics::new(table.patterns(), services.clock.as_ref(), services.build);
        let metrics = metrics.map_err(io::Error::other)?;
        Ok(Self {
            health: Arc::new(Health::new(Arc::clone(&services.readiness))),
            throttle: Arc::new(Throttle::new(settings.failed_authentications)),
            bodies: Arc::new(MemoryBudget::new(settings.bodies, Body::most_memory(&settings))),
            in_flight: load.worker(),
            load,
            long_lists: Arc::default(),
            metrics: Arc::new(metrics),
            description,
            table: Arc::new(table),
            services,
            settings,
        })
    }
}

/// The actix service of one worker.
pub(crate) fn app(
    shared: Shared,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse,
        Error = Error,
        InitError = (),
    >,
> {
    let in_flight = shared.load.worker();
    let shared = Rc::new(Shared { in_flight, ..shared });
    App::new().default_service(fn_service(move |request: ServiceRequest| {
        let shared = Rc::clone(&shared);
        async move { Ok::<_, Error>(answer(shared, request).await) }
    }))
}

/// Answers any request, whatever happens.
async fn answer(shared: Rc<Shared>, request: ServiceRequest) -> ServiceResponse {
    let started = Instant::now();
    let (request, mut payload) = request.into_parts();
    let activity = request.conn_data::<Rc<Activity>>().cloned();
    let begun = activity.as_ref().map(|activity| activity.begin(request.head()));
    if let Some(None) = begun {
        return not_carried_out().await;
    }
    let request_id = RequestId::of(request.headers(), shared.services.ids.as_ref());
    let mut unfinished = Unfinished::new(Rc::clone(&shared), activity, request_id);
    let working = work(&shared, &request, &mut payload, &mut unfinished);
    // A panic ends one request, not the connection or the worker.
    let outcome = AssertUnwindSafe(working).catch_unwind().await.unwrap_or_else(|_| {
        Err(Box::new(Problem {
            cause: Some("a panic; the line before says where".to_owned()),
            ..Problem::new(Code::Internal)
        }))
    });
    let mut answer = outcome.unwrap_or_else(|problem| {
        report(&problem, &unfinished.request_id, unfinished.caller);
        if let Some(activity) = unfinished.activity.as_deref().filter(|_| problem.close) {
            activity.close(false);
        }
        problem.answer(Language::of(request.headers()), shared.services.clock.now())
    });
    let headers = answer.headers_mut();
    headers.insert(REQUEST_ID, unfinished.request_id.value().clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    if let Some(names) = ignored::header(&request) {
        headers.insert(ignored::IGNORED, names);
    }
    if unfinished.no_store && !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let record = answer.extensions_mut().remove::<Changed>();
    let record =
        record.or_else(|| unfinished.id.filter(|_| !request.method().is_safe()).map(Changed::one));
    if request.method() == Method::HEAD {
        answer = answer.map_body(|_, body| BoxBody::new(Headless(body.size())));
    }
    let streamed = answer.body().size() == BodySize::Stream;
    // HTTP/1.0 has no chunks: a response without a length ends with the connection.
    let until_close = streamed && request.version() < Version::HTTP_11;
    answer.head_mut().no_chunking(until_close);
    if until_close {
        answer.head_mut().set_connection_type(ConnectionType::Close);
    }
    finish_connection(&mut answer, &mut payload, &unfinished).await;
    let took = started.elapsed();
    let (method, status) = (request.method(), answer.status());
    shared.metrics.note(unfinished.route, method, status, took);
    let (method, route) = (method_name(method), shared.metrics.pattern(unfinished.route));
    let Unfinished { request_id, caller, .. } = &unfinished;
    Answered { method, route, status, took, request_id, caller: *caller, record }.log();
    if streamed {
        answer =
            answer.map_body(|_, body| BoxBody::new(Watched::new(body, unfinished, until_close)));
    } else {
        unfinished.finish();
    }
    ServiceResponse::new(request, answer)
}

/// Never completes: an earlier request or response on this connection had `Connection: close`. When
/// the connection is polled again, it reports its end, which cancels this.
async fn not_carried_out() -> ServiceResponse {
    wake().await;
    pending().await
}

/// Makes the task be polled once more.
async fn wake() {
    poll_fn(|context| {
        context.waker().wake_by_ref();
        Poll::Ready(())
    })
    .await;
}

/// Sets `Connection: close` on the last response of a connection.
async fn finish_connection(
    answer: &mut HttpResponse,
    payload: &mut Payload,
    unfinished: &Unfinished,
) {
    let activity = unfinished.activity.as_deref();
    // The next bytes on the connection are the rest of the body, which is not needed.
    let unread = !body::has_arrived(payload);
    let last = unread
        || activity.is_some_and(|activity| activity.is_closing() || activity.is_over_limit())
        || unfinished.shared.health.is_stopping();
    if !last {
        return;
    }
    answer.head_mut().set_connection_type(ConnectionType::Close);
    if let Some(activity) = activity {
        activity.close(unread);
    }
    if unread {
        // Otherwise the connection would notice only with the client's next bytes.
        wake().await;
    }
}

/// Logs what the client must not see.
fn report(problem: &Problem, request_id: &RequestId, caller: Option<Caller>) {
    let Some(cause) = &problem.cause else { return };
    let request_id = request_id.as_str();
    let is_stranger = caller.is_none();
    if is_stranger && matches!(problem.code, Code::Unauthorized | Code::TooManyRequests) {
        tracing::info!(request_id, reason = cause, "a credential was rejected");
    } else if problem.code.status().is_client_error() {
        tracing::info!(request_id, cause, "a body could not be read");
    } else if problem.code == Code::Unavailable {
        tracing::warn!(request_id, cause, "a request could not be served for now");
    } else {
        tracing::error!(request_id, cause, "a request failed; this is a defect, please report it");
    }
}

async fn work(
    shared: &Rc<Shared>,
    request: &HttpRequest,
    payload: &mut Payload,
    unfinished: &mut Unfinished,
) -> Result<HttpResponse, Box<Problem>> {
    // The path after percent-decoding.
    let found = shared.table.find(request.match_info().as_str());
    unfinished.route = match &found {
        Found::Path(path, _) => Some(path.index),
        Found::Page(_, index) => Some(*index),
        Found::Nothing => None,
    };
    if let Found::Path(path, id) = &found {
        unfinished.id = id.and_then(ids::parse);
        unfinished.no_store = path.is_no_store();
    }
    let activity = unfinished.activity.as_deref();
    // Probes and metrics are still served.
    let over_limit =
        activity.is_some_and(Activity::is_over_limit) && !matches!(found, Found::Page(..));
    if over_limit {
        return Err(Box::new(Problem { retry_after: Some(1), ..Problem::new(Code::Unavailable) }));
    }
    if head_size(request) > shared.settings.header_limit {
        return Err(Box::new(Problem { close: true, ..Problem::new(Code::PayloadTooLarge) }));
    }
    match found {
        Found::Path(path, id) => {
            let call = Unchecked { shared, request, payload, activity, path, id };
            call.run(&mut unfinished.caller).await
        }
        Found::Page(page, _) => {
            if !matches!(*request.method(), Method::GET | Method::HEAD) {
                return Err(method_not_allowed(shared.table.page_allow()));
            }
            let context = PageContext { request: request.clone(), shared: Rc::clone(shared) };
            (page.handler)(context).await.map_err(|error| error.into_problem(&FaultStyle::PLAIN))
        }
        Found::Nothing => Err(Box::new(Problem::new(Code::NotFound))),
    }
}

/// A request under `/v1` before the checks.
struct Unchecked<'t, 'r> {
    shared: &'t Rc<Shared>,
    request: &'r HttpRequest,
    payload: &'r mut Payload,
    activity: Option<&'r Activity>,
    path: &'t Path,
    id: Option<&'r str>,
}

impl Unchecked<'_, '_> {
    /// Runs the checks in the order of `docs/api/errors.md`, then calls the handler.
    async fn run(self, known_caller: &mut Option<Caller>) -> Result<HttpResponse, Box<Problem>> {
        let Self { shared, request, payload, activity, path, id } = self;
        let Shared { services, settings, throttle, bodies, .. } = &**shared;
        let Some(route) = path.route(request.method()) else {
            return Err(method_not_allowed(&path.allow));
        };
        let style = &route.style;
        // Held until the request is answered.
        let mut share = bodies.share(body::announced(request.headers()));
        let outcome = async {
            let caller =
                check::authenticate(request, services.authentication.as_ref(), throttle).await?;
            *known_caller = Some(caller);
            check::permit(caller, route.operation)?;
            let headers = request.headers();
            check::content_type(headers, style)?;
            let id = id.map(|text| check::id(text, style)).transpose()?;
            let body = match style.body {
                Body::Ignored => Bytes::new(),
                taken => {
                    let bounds = Bounds {
                        limit: taken.limit(settings),
                        patience: settings.request_timeout,
                        weight: taken.weight(),
                    };
                    body::read(payload, headers, bounds, &mut share, activity).await?
                }
            };
            ignored::note_parameters(request, route.knows);
            let call = Call { request: request.clone(), shared: Rc::clone(shared), caller, id };
            (route.endpoint)(call, body)?.await
        };
        outcome.await.map_err(|error: ApiError| error.into_problem(style))
    }
}

fn method_not_allowed(allow: &HeaderValue) -> Box<Problem> {
    Box::new(Problem { allow: Some(allow.clone()), ..Problem::new(Code::MethodNotAllowed) })
}

/// The approximate size of the request line and the headers, in bytes.
fn head_size(request: &HttpRequest) -> usize {
    let fields = |headers: &HeaderMap| -> usize {
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
    };
    let target = request.uri().path().len() + request.query_string().len();
    target + fields(request.headers())
}
