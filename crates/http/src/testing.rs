//! What tests of the adapter share: services over mocked ports, and requests through the whole
//! pipeline.

use std::sync::Arc;

use actix_http::BoxedPayloadStream;
use actix_web::{
    body::{BodySize, MessageBody},
    dev::{Payload, ServiceResponse},
    http::header::HeaderMap,
    test::{self, TestRequest},
};
use patrol_application::{AccessService, SeriesService, TaskExecutionService, rules};
use patrol_domain::{
    Clock, Ids, Limits, Readiness, StoreError, Timestamp,
    access::{Authentication, Caller, MockAuthentication, MockMint, MockTokens, Role},
    ids::{UserId, Uuid},
    series::MockSeries,
    shared::ports::{MockClock, MockIds, MockReadiness},
    task_execution::MockTaskExecutions,
    user::MockUsers,
};
use serde_json::Value;

use crate::{
    route::{Page, Route, Shared, Table, app},
    services::{Services, Settings},
};

/// The time at which tests take place.
pub(crate) const NOW: &str = "2026-01-31T08:00:00.000Z";
/// Every new id.
pub(crate) const NEW_ID: &str = "0190a000-0000-7000-8000-0000000000ff";
/// The user of all tokens.
pub(crate) const USER: &str = "0190a000-0000-7000-8000-000000000001";

/// The ports of a test; those that it does not set fail when they are asked.
#[derive(Default)]
pub(crate) struct Ports {
    pub(crate) executions: MockTaskExecutions,
    pub(crate) series: MockSeries,
    pub(crate) tokens: MockTokens,
    pub(crate) users: MockUsers,
    pub(crate) mint: MockMint,
    pub(crate) readiness: MockReadiness,
}

impl Ports {
    /// The services over these ports. `admin`, `manager` and `employee` are tokens of [`USER`] in
    /// that role, `panic` is one that breaks the check, `away` one that finds the store away; any
    /// other is wrong.
    pub(crate) fn services(self) -> Services {
        let mut authentication = MockAuthentication::new();
        authentication.expect_authenticate().returning(|token| {
            let role = match token {
                "admin" => Role::Admin,
                "manager" => Role::Manager,
                "employee" => Role::Employee,
                "away" => return Err(StoreError::Unavailable("secret-address".to_owned())),
                "panic" => panic!("secret-panic"),
                _ => return Ok(None),
            };
            Ok(Some(Caller { user: UserId(Uuid::try_parse(USER).unwrap()), role }))
        });
        let mut clock = MockClock::new();
        clock.expect_now().returning(|| Timestamp::parse(NOW).unwrap());
        let mut ids = MockIds::new();
        ids.expect_next().returning(|| Uuid::try_parse(NEW_ID).unwrap());
        let (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>) = (Arc::new(clock), Arc::new(ids));
        let rules = rules(Limits::default());
        let authentication: Arc<dyn Authentication> = Arc::new(authentication);
        let readiness: Arc<dyn Readiness> = Arc::new(self.readiness);
        Services {
            executions: TaskExecutionService::new(
                Arc::new(self.executions),
                Arc::clone(&ids),
                rules,
            ),
            series: SeriesService::new(Arc::new(self.series), Arc::clone(&ids), rules),
            access: AccessService::new(
                Arc::new(self.tokens),
                Arc::new(self.users),
                Arc::new(self.mint),
                Arc::clone(&clock),
                Arc::clone(&ids),
                rules,
            ),
            authentication,
            readiness,
            clock,
            ids,
        }
    }
}

/// What tests ask.
pub(crate) struct Site(Shared);

/// What a test looks at; of a body that breaks off, nothing.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Site {
    /// The real routes and pages.
    pub(crate) fn new(ports: Ports) -> Self {
        Self::of(ports, Settings::default(), crate::route::routes(), crate::route::pages())
    }

    /// Other routes and settings.
    pub(crate) fn of(
        ports: Ports,
        settings: Settings,
        routes: Vec<Route>,
        pages: Vec<Page>,
    ) -> Self {
        Self(Shared::new(ports.services(), settings, Table::new(routes, pages)).unwrap())
    }

    /// What all its requests share.
    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// Sends a request.
    pub(crate) async fn ask(&self, request: TestRequest) -> Told {
        let service = test::init_service(app(self.0.clone())).await;
        told(test::call_service(&service, request.to_request()).await).await
    }
}

impl Site {
    /// Sends a request whose body never comes.
    pub(crate) async fn ask_slowly(&self, request: TestRequest) -> Told {
        let service = test::init_service(app(self.0.clone())).await;
        let payload: BoxedPayloadStream = Box::pin(futures_util::stream::pending());
        let (request, _) = request.to_request().replace_payload(Payload::Stream { payload });
        told(test::call_service(&service, request).await).await
    }

    /// Sends a request and tells status, announced size and body of the answer.
    pub(crate) async fn ask_for_size(&self, request: TestRequest) -> (u16, Option<u64>, Vec<u8>) {
        let service = test::init_service(app(self.0.clone())).await;
        let answer: ServiceResponse = test::call_service(&service, request.to_request()).await;
        let size = match answer.response().body().size() {
            BodySize::Sized(size) => Some(size),
            BodySize::None | BodySize::Stream => None,
        };
        let status = answer.status().as_u16();
        (status, size, test::read_body(answer).await.to_vec())
    }
}

async fn told(answer: ServiceResponse) -> Told {
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let body = test::try_read_body(answer).await.unwrap_or_default().to_vec();
    Told { status, headers, body }
}

impl Told {
    /// A header's value.
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
