//! Common parts of the tests: services with mocked ports, and requests through the whole app.

mod log_buffer;

use std::{
    io,
    sync::{Arc, Once, OnceLock},
    time::Duration,
};

use actix_http::BoxedPayloadStream;
use actix_web::{
    body::{BodySize, MessageBody},
    dev::{Payload, ServiceResponse},
    http::{
        Method,
        header::{ContentType, HeaderMap},
    },
    test::{self, TestRequest},
};
use bytes::Bytes;
use patrol_application::{
    AccessService, CheckListActionService, Context, EventService, FiguresService,
    GraphicPlanService, ImageService, MediaService, PhotoService, PointHistoryService,
    RecordService, ReportService, RoundService, ScheduleService, SeriesPorts, SeriesService,
    TaskExecutionService, UserService, rules,
};
use patrol_domain::{
    Clock, Ids, Limits, Monitored, Readiness, Records, StoreError, Timestamp,
    access::{
        Authentication, Caller, MockAuthentication, MockSecretGenerator, MockTokens, Rejection,
        Role,
    },
    check_list::{CheckList, MockCheckListActions},
    event::MockEvents,
    figures::MockFigureStore,
    graphic_plan::MockGraphicPlans,
    idempotency::MockIdempotencyKeys,
    ids::{UserId, Uuid, parse},
    location::Location,
    media::{MockMedia, MockMediaFiles},
    photo::{MockImageOwners, MockImages, MockPhotos, MockUserPhotos},
    point::{MockPointHistory, Point},
    report::{MockReports, PresenceRadius},
    schedule::TimeZone,
    scheduled_task::{MockRounds, Rounds, ScheduledTask},
    series::MockSeries,
    shared::{
        drafted::MockRecords,
        ports::{MockClock, MockIds, MockReadiness},
    },
    task_execution::{MockTaskExecutions, Punctuality, TaskExecutions},
    user::{MockUsers, Users},
};
use serde_json::Value;

use self::log_buffer::LogBuffer;
use crate::{
    app::{self, Routes, app},
    build::Build,
    features::ROUTES,
    openapi,
    page::Site,
    route::RouteTable,
    services::Services,
    settings::Settings,
    shared::Shared,
};

/// Enables the log lines of the whole process. `tracing` may keep a line disabled that a test without
/// a subscriber reaches at the moment at which another test sets its own.
static ENABLED: Once = Once::new();

/// The time of the tests.
pub(crate) const NOW: &str = "2026-01-31T08:00:00.000Z";
/// Every new id.
pub(crate) const NEW_ID: &str = "0190a000-0000-7000-8000-0000000000ff";
/// The user of all tokens.
pub(crate) const USER: &str = "0190a000-0000-7000-8000-000000000001";

/// The ports of a test. A mock without expectations panics when called.
#[derive(Default)]
pub(crate) struct Ports {
    pub(crate) executions: MockTaskExecutions,
    pub(crate) reports: MockReports,
    pub(crate) series: MockSeries,
    pub(crate) scheduled_tasks: MockRecords<ScheduledTask>,
    pub(crate) rounds: MockRounds,
    pub(crate) users: MockUsers,
    pub(crate) user_photos: MockUserPhotos,
    pub(crate) image_owners: MockImageOwners,
    pub(crate) graphic_plans: MockGraphicPlans,
    pub(crate) media: MockMedia,
    pub(crate) media_files: MockMediaFiles,
    pub(crate) photos: MockPhotos,
    pub(crate) images: MockImages,
    pub(crate) locations: MockRecords<Location>,
    pub(crate) points: MockRecords<Point>,
    pub(crate) point_history: MockPointHistory,
    pub(crate) check_lists: MockRecords<CheckList>,
    pub(crate) check_list_actions: MockCheckListActions,
    pub(crate) events: MockEvents,
    pub(crate) idempotency_keys: MockIdempotencyKeys,
    pub(crate) tokens: MockTokens,
    pub(crate) secrets: MockSecretGenerator,
    pub(crate) readiness: MockReadiness,
    pub(crate) monitored: Vec<Arc<dyn Monitored>>,
}

impl Ports {
    /// The services with these ports. `admin`, `manager` and `employee` are tokens of [`USER`] with
    /// these roles. The token `panic` makes authentication panic, `unavailable` makes the store
    /// unavailable; all others are unknown.
    pub(crate) fn services(self) -> Services {
        let mut authentication = MockAuthentication::new();
        authentication.expect_authenticate().returning(|token| {
            let role = match token {
                "admin" => Role::Admin,
                "manager" => Role::Manager,
                "employee" => Role::Employee,
                "unavailable" => return Err(StoreError::Unavailable("secret-address".to_owned())),
                "panic" => panic!("secret-panic"),
                _ => return Ok(Err(Rejection::UnknownToken)),
            };
            Ok(Ok(Caller { user: UserId(Uuid::try_parse(USER).unwrap()), role, token: None }))
        });
        let mut clock = MockClock::new();
        clock.expect_now().returning(|| Timestamp::parse(NOW).unwrap());
        let mut ids = MockIds::new();
        ids.expect_next().returning(|| Uuid::try_parse(NEW_ID).unwrap());
        let (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>) = (Arc::new(clock), Arc::new(ids));
        let rules = rules(Limits::default());
        let context = Context::new(Arc::clone(&clock), Arc::clone(&ids), rules);
        let authentication: Arc<dyn Authentication> = Arc::new(authentication);
        let readiness: Arc<dyn Readiness> = Arc::new(self.readiness);
        let users: Arc<dyn Users> = Arc::new(self.users);
        let executions: Arc<dyn TaskExecutions> = Arc::new(self.executions);
        let scheduled_tasks: Arc<dyn Records<ScheduledTask>> = Arc::new(self.scheduled_tasks);
        let rounds: Arc<dyn Rounds> = Arc::new(self.rounds);
        let locations: Arc<dyn Records<Location>> = Arc::new(self.locations);
        let images = ImageService::new(
            Arc::new(self.image_owners),
            Arc::new(self.photos),
            Arc::new(self.images),
            Arc::clone(&clock),
            Arc::clone(&ids),
        );
        Services {
            executions: TaskExecutionService::new(Arc::clone(&executions), context.clone()),
            reports: ReportService::new(
                Arc::new(self.reports),
                executions.clone(),
                PresenceRadius::default(),
                context.clone(),
            ),
            series: SeriesService::new(
                SeriesPorts {
                    series: Arc::new(self.series),
                    executions,
                    tasks: scheduled_tasks.clone(),
                    rounds: Arc::clone(&rounds),
                },
                context.clone(),
            ),
            scheduled_tasks: RecordService::new(scheduled_tasks, context.clone()),
            rounds: RoundService::new(
                Arc::new(MockRecords::<ScheduledTask>::new()),
                Arc::new(MockRecords::<CheckList>::new()),
                rounds,
                Arc::clone(&clock),
                Arc::clone(&ids),
                Duration::ZERO,
            ),
            users: UserService::new(Arc::clone(&users), context.clone()),
            photos: PhotoService::new(
                Arc::clone(&users),
                Arc::new(self.user_photos),
                images.clone(),
                Arc::clone(&clock),
            ),
            media: MediaService::new(
                Arc::new(self.media),
                Arc::new(self.media_files),
                images.clone(),
                context.clone(),
            ),
            graphic_plans: GraphicPlanService::new(
                Arc::new(self.graphic_plans),
                locations.clone(),
                images,
                context.clone(),
            ),
            locations: RecordService::new(locations, context.clone()),
            point_history: PointHistoryService::new(Arc::new(self.point_history)),
            points: RecordService::new(Arc::new(self.points), context.clone()),
            check_lists: RecordService::new(Arc::new(self.check_lists), context.clone()),
            check_list_actions: CheckListActionService::new(
                Arc::new(self.check_list_actions),
                context.clone(),
            ),
            schedules: ScheduleService::new(Arc::clone(&clock)),
            access: AccessService::new(
                Arc::new(self.tokens),
                users,
                Arc::new(self.secrets),
                context.clone(),
            ),
            events: EventService::new(Arc::new(self.events), Arc::clone(&clock)),
            authentication,
            idempotency_keys: Arc::new(self.idempotency_keys),
            readiness,
            monitored: self.monitored,
            figures: FiguresService::new(
                Arc::new(MockFigureStore::new()),
                Arc::clone(&clock),
                Punctuality::default(),
                TimeZone::UTC,
            ),
            punctuality: Punctuality::default(),
            public_url: "https://patrol.example.org".to_owned(),
            build: Build { version: "1.2.0", commit: "0123456789ab" },
            continue_trace: |_, _| {},
            clock,
            ids,
        }
    }
}

/// The API document of the real routes: making it takes longer than most tests.
static DESCRIPTION: OnceLock<Bytes> = OnceLock::new();

fn describe(table: &RouteTable, settings: &Settings) -> Bytes {
    openapi::describe(table, crate::features::parts(), settings).unwrap()
}

/// The app with mocked ports, called without a connection.
pub(crate) struct TestServer {
    shared: Shared,
    routes: Routes,
}

/// A response with its body; the body of an aborted response is empty.
#[derive(Debug)]
pub(crate) struct TestAnswer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl TestServer {
    /// A test server with the real routes and pages.
    pub(crate) fn new(ports: Ports) -> Self {
        let described =
            |table: &_, settings: &_| DESCRIPTION.get_or_init(|| describe(table, settings)).clone();
        Self::build(ports, Settings::default(), ROUTES, None, described)
    }

    /// A test server with other routes and settings.
    pub(crate) fn of(ports: Ports, settings: Settings, routes: Routes) -> Self {
        Self::build(ports, settings, routes, None, describe)
    }

    /// A test server with the pages of a site.
    pub(crate) fn with_site(ports: Ports, site: Site) -> Self {
        Self::build(ports, Settings::default(), ROUTES, Some(site), describe)
    }

    fn build(
        ports: Ports,
        settings: Settings,
        routes: Routes,
        site: Option<Site>,
        describe: impl FnOnce(&RouteTable, &Settings) -> Bytes,
    ) -> Self {
        let table = app::table(routes, site.as_ref());
        let description = describe(&table, &settings);
        let shared = Shared::new(ports.services(), settings, table.patterns(), description, site);
        Self { shared: shared.unwrap(), routes }
    }

    /// The state that all requests share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: TestRequest) -> TestAnswer {
        let service = test::init_service(app(&self.shared, self.routes)).await;
        answer(test::call_service(&service, request.to_request()).await).await
    }
}

impl TestServer {
    /// Sends a request and returns its log lines too.
    pub(crate) async fn send_logged(&self, request: TestRequest) -> (TestAnswer, String) {
        ENABLED.call_once(|| {
            let enabled = tracing_subscriber::fmt().with_writer(io::sink).finish();
            tracing::subscriber::set_global_default(enabled).unwrap();
        });
        let buffer = LogBuffer::default();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(buffer.clone());
        let guard = tracing::subscriber::set_default(subscriber.finish());
        let answer = self.send(request).await;
        drop(guard);
        let log = buffer.0.lock().unwrap().clone();
        (answer, String::from_utf8(log).unwrap())
    }

    /// Sends a request whose body never arrives.
    pub(crate) async fn send_without_body(&self, request: TestRequest) -> TestAnswer {
        let service = test::init_service(app(&self.shared, self.routes)).await;
        let payload: BoxedPayloadStream = Box::pin(futures_util::stream::pending());
        let (request, _) = request.to_request().replace_payload(Payload::Stream { payload });
        answer(test::call_service(&service, request).await).await
    }

    /// Sends a request and returns status, declared size and body of the response.
    pub(crate) async fn send_for_size(&self, request: TestRequest) -> (u16, Option<u64>, Vec<u8>) {
        let service = test::init_service(app(&self.shared, self.routes)).await;
        let answer: ServiceResponse = test::call_service(&service, request.to_request()).await;
        let size = match answer.response().body().size() {
            BodySize::Sized(size) => Some(size),
            BodySize::None | BodySize::Stream => None,
        };
        let status = answer.status().as_u16();
        (status, size, test::read_body(answer).await.to_vec())
    }
}

async fn answer(answer: ServiceResponse) -> TestAnswer {
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let body = test::try_read_body(answer).await.unwrap_or_default().to_vec();
    TestAnswer { status, headers, body }
}

impl TestAnswer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    /// The status and the code of the body.
    pub(crate) fn code(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().unwrap_or_default().to_owned())
    }

    /// Whether the details have only the place of malformed JSON.
    pub(crate) fn is_malformed(&self) -> bool {
        matches!(self.details().as_slice(), [(code, _, args)] if code == "json.malformed"
            && args.split(',').all(|number| number.parse::<u32>().is_ok_and(|number| number > 0)))
    }

    /// The code, the identifier and the args of every details entry.
    pub(crate) fn details(&self) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let entry = |entry: &Value| {
            let args = entry["args"].as_array().cloned().unwrap_or_default();
            let args: Vec<_> = args.iter().map(text).collect();
            (text(&entry["code"]), text(&entry["identifier"]), args.join(","))
        };
        self.json()["details"].as_array().cloned().unwrap_or_default().iter().map(entry).collect()
    }
}

/// A request with the token of an administrator.
pub(crate) fn as_admin(request: TestRequest) -> TestRequest {
    request.insert_header(("authorization", "Bearer admin"))
}

/// `METHOD path` by an administrator with a JSON body; the path follows `/v1`.
pub(crate) fn request(what: &str, body: impl Into<Bytes>) -> TestRequest {
    let (method, path) = what.split_once(' ').unwrap();
    let request = TestRequest::with_uri(&format!("/v1{path}"));
    let request = as_admin(request.method(Method::from_bytes(method.as_bytes()).unwrap()));
    request.insert_header(ContentType::json()).set_payload(body)
}

/// `0190a000-0000-7000-8000-` and this number in hexadecimal.
pub(crate) fn id<T: From<Uuid>>(number: u32) -> T {
    parse(&format!("0190a000-0000-7000-8000-{number:012x}")).unwrap().into()
}

/// Parses a time.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A status and a code in the form of [`TestAnswer::code`].
pub(crate) fn code(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

/// A details entry in the form of [`TestAnswer::details`].
pub(crate) fn detail(code: &str, identifier: &str, args: &str) -> (String, String, String) {
    (code.to_owned(), identifier.to_owned(), args.to_owned())
}

/// The body with this value of a member.
pub(crate) fn with_member(mut body: Value, member: &str, value: Value) -> Value {
    body[member] = value;
    body
}
