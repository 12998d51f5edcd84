//! What every request passes, before and after its handler.

use std::{io, panic::AssertUnwindSafe, rc::Rc, sync::Arc, time::Instant};

use actix_web::{
    App, Error, HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody as _},
    dev::{Payload, ServiceFactory, ServiceRequest, ServiceResponse, fn_service},
    http::{
        Method,
        header::{CACHE_CONTROL, HeaderMap, HeaderValue},
    },
};
use bytes::Bytes;
use futures_util::FutureExt;
use patrol_domain::{
    access::Caller,
    ids::{self, Uuid},
};

use super::{
    Body, Call, Manners, Table, Visit,
    answer::{Headless, Watched},
    check,
    table::{Found, Path},
};
use crate::{
    body,
    connection::Activity,
    error::{ApiError, Code, Language, Problem},
    health::Health,
    ignored,
    log::{Answered, Changed},
    long_lists::LongLists,
    metrics::{Metrics, RouteIndex},
    openapi,
    request_id::{REQUEST_ID, RequestId},
    room::Room,
    services::{Services, Settings},
    throttle::Throttle,
};

/// Most of an unknown path that the log takes.
const LONGEST_LOGGED_PATH: usize = 200;

/// Bytes of photos that are held at once, from their first byte until they are answered.
pub(crate) const UPLOADS: usize = 128 << 20;

/// What all requests share. Each worker has a clone of it, so that a request touches no counter that
/// another worker touches.
#[derive(Clone)]
pub(crate) struct Shared {
    /// The use cases.
    pub(crate) services: Services,
    /// The settings.
    pub(crate) settings: Settings,
    /// The routes.
    pub(crate) table: Arc<Table>,
    /// Whether the server can do its work.
    pub(crate) health: Arc<Health>,
    /// What is measured.
    pub(crate) metrics: Arc<Metrics>,
    /// Who sends wrong tokens.
    pub(crate) throttle: Arc<Throttle>,
    /// Room for the photos that are being received.
    pub(crate) uploads: Arc<Room>,
    /// The description of the API.
    pub(crate) description: Bytes,
    /// The long lists that users read.
    pub(crate) long_lists: Arc<LongLists>,
}

impl Shared {
    /// What a server with these routes shares.
    ///
    /// # Errors
    /// When the metrics or the description of the API have a defect, which tests rule out.
    pub(crate) fn new(services: Services, settings: Settings, table: Table) -> io::Result<Self> {
        let metrics = Metrics::new(table.patterns(), services.clock.as_ref(), services.build);
        let metrics = metrics.map_err(io::Error::other)?;
        Ok(Self {
            health: Arc::new(Health::new(Arc::clone(&services.readiness))),
            throttle: Arc::new(Throttle::new(settings.failed_authentications)),
            // One of the greatest size fits in any case.
            uploads: Arc::new(Room::new(UPLOADS.max(Body::Form.limit(&settings)))),
            long_lists: Arc::default(),
            metrics: Arc::new(metrics),
            description: openapi::describe(&table, &settings)?,
            table: Arc::new(table),
            services,
            settings,
        })
    }
}

/// The service of one worker.
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
    let shared = Rc::new(shared);
    App::new().default_service(fn_service(move |request: ServiceRequest| {
        let shared = Rc::clone(&shared);
        async move { Ok::<_, Error>(answer(shared, request).await) }
    }))
}

/// What becomes known of a request on its way.
#[derive(Default)]
struct Progress<'t> {
    route: Option<(&'t str, RouteIndex)>,
    caller: Option<Caller>,
    /// The id in the path.
    id: Option<Uuid>,
    /// Whether no cache may keep the answer.
    no_store: bool,
}

/// Answers a request, whatever it is and whatever becomes of it.
async fn answer(shared: Rc<Shared>, request: ServiceRequest) -> ServiceResponse {
    let started = Instant::now();
    let (request, mut payload) = request.into_parts();
    let _turn = request.conn_data::<Rc<Activity>>().map(Activity::begin);
    let request_id = RequestId::of(request.headers(), shared.services.ids.as_ref());
    let mut progress = Progress::default();
    let working = work(&shared, &request, &mut payload, &mut progress);
    // A panic ends one request, not the connection and not the worker.
    let outcome = AssertUnwindSafe(working).catch_unwind().await.unwrap_or_else(|_| {
        Err(Box::new(Problem {
            cause: Some("a panic; the line before says where".to_owned()),
            ..Problem::new(Code::Internal)
        }))
    });
    let mut answer = outcome.unwrap_or_else(|problem| {
        report(&problem, &request_id, progress.caller);
        problem.answer(Language::of(request.headers()), shared.services.clock.now())
    });
    answer.headers_mut().insert(REQUEST_ID, request_id.value().clone());
    if let Some(names) = ignored::header(&request) {
        answer.headers_mut().insert(ignored::IGNORED, names);
    }
    if progress.no_store && !answer.headers().contains_key(CACHE_CONTROL) {
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let record = answer.extensions_mut().remove::<Changed>();
    let record =
        record.or_else(|| progress.id.filter(|_| !request.method().is_safe()).map(Changed::one));
    if request.method() == Method::HEAD {
        answer = answer.map_body(|_, body| BoxBody::new(Headless(body.size())));
    } else if answer.body().size() == BodySize::Stream {
        let request_id = request_id.clone();
        answer = answer.map_body(|_, body| BoxBody::new(Watched { body, request_id }));
    }
    let took = started.elapsed();
    let (method, status) = (request.method(), answer.status());
    shared.metrics.note(progress.route.map(|(_, index)| index), method, status, took);
    let route = progress.route.map_or_else(|| cut(request.path()), |(pattern, _)| pattern);
    let caller = progress.caller;
    Answered { method, route, status, took, request_id: &request_id, caller, record }.log();
    ServiceResponse::new(request, answer)
}

/// As much of an unknown path as the log takes.
fn cut(path: &str) -> &str {
    // A path is ASCII, so that it can be cut anywhere.
    path.get(..LONGEST_LOGGED_PATH).unwrap_or(path)
}

/// Tells the operator what the client must not learn.
fn report(problem: &Problem, request_id: &RequestId, caller: Option<Caller>) {
    let Some(cause) = &problem.cause else { return };
    let request_id = request_id.as_str();
    let is_stranger = caller.is_none();
    if is_stranger && matches!(problem.code, Code::Unauthorized | Code::TooManyRequests) {
        tracing::info!(request_id, reason = cause, "a credential was rejected");
    } else if problem.code.status().is_client_error() {
        tracing::info!(request_id, cause, "a body could not be read");
    } else if problem.code == Code::Unavailable {
        tracing::warn!(request_id, cause, "the store could not serve a request");
    } else {
        tracing::error!(request_id, cause, "a request failed; this is a defect, please report it");
    }
}

async fn work<'t>(
    shared: &'t Rc<Shared>,
    request: &HttpRequest,
    payload: &mut Payload,
    progress: &mut Progress<'t>,
) -> Result<HttpResponse, Box<Problem>> {
    // The path with percent-encoding undone, as it was sent otherwise.
    let found = shared.table.find(request.match_info().as_str());
    progress.route = match &found {
        Found::Path(path, _) => Some((&path.pattern, path.index)),
        Found::Page(page, index) => Some((page.path, *index)),
        Found::Nothing => None,
    };
    if let Found::Path(path, id) = &found {
        progress.id = id.and_then(ids::parse);
        progress.no_store = path.is_no_store();
    }
    if head_size(request) > shared.settings.header_limit {
        return Err(Box::new(Problem { close: true, ..Problem::new(Code::PayloadTooLarge) }));
    }
    match found {
        Found::Path(path, id) => {
            let call = Unchecked { shared, request, payload, path, id };
            call.run(&mut progress.caller).await
        }
        Found::Page(page, _) => {
            if !matches!(*request.method(), Method::GET | Method::HEAD) {
                return Err(method_not_allowed(shared.table.page_allow()));
            }
            let visit = Visit { request: request.clone(), shared: Rc::clone(shared) };
            (page.handler)(visit).await.map_err(|error| error.into_problem(&Manners::PLAIN))
        }
        Found::Nothing => Err(Box::new(Problem::new(Code::NotFound))),
    }
}

/// A request under `/v1` before anything was asked of it.
struct Unchecked<'t, 'r> {
    shared: &'t Rc<Shared>,
    request: &'r HttpRequest,
    payload: &'r mut Payload,
    path: &'t Path,
    id: Option<&'r str>,
}

impl Unchecked<'_, '_> {
    /// Checks in the order of decisions 1, then calls the handler.
    async fn run(self, known_caller: &mut Option<Caller>) -> Result<HttpResponse, Box<Problem>> {
        let Self { shared, request, payload, path, id } = self;
        let Shared { services, settings, throttle, uploads, .. } = &**shared;
        let Some(route) = path.route(request.method()) else {
            return Err(method_not_allowed(&path.allow));
        };
        let manners = &route.manners;
        let mut share = (manners.body == Body::Form).then(|| uploads.share());
        let outcome = async {
            let caller =
                check::authenticate(request, services.authentication.as_ref(), throttle).await?;
            *known_caller = Some(caller);
            check::permit(caller, route.operation)?;
            let headers = request.headers();
            check::content_type(headers, manners)?;
            let id = id.map(|text| check::id(text, manners)).transpose()?;
            let body = match manners.body {
                Body::Ignored => Bytes::new(),
                taken => {
                    let limit = taken.limit(settings);
                    let patience = settings.request_timeout;
                    body::read(payload, headers, limit, patience, share.as_mut()).await?
                }
            };
            ignored::note_parameters(request, route.knows);
            let call = Call { request: request.clone(), shared: Rc::clone(shared), caller, id };
            (route.endpoint)(call, body)?.await
        };
        outcome.await.map_err(|error: ApiError| error.into_problem(manners))
    }
}

fn method_not_allowed(allow: &HeaderValue) -> Box<Problem> {
    Box::new(Problem { allow: Some(allow.clone()), ..Problem::new(Code::MethodNotAllowed) })
}

/// The bytes of the request line and the headers, about as they came.
fn head_size(request: &HttpRequest) -> usize {
    let fields = |headers: &HeaderMap| -> usize {
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
    };
    let target = request.uri().path().len() + request.query_string().len();
    target + fields(request.headers())
}
