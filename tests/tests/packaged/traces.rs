//! Traces: what a collector receives.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest, trace::v1::Span,
};
use patrol_tests::{
    Running, Store,
    company::{self, ADMIN, GUARD},
    execution_id, planned,
};
use prost::Message as _;
use serde_json::json;

/// Longer than any of this takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The trace and the span of a client.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENT: &str = "00f067aa0ba902b7";

/// A collector that keeps the bodies it receives.
struct Collector {
    url: String,
    received: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let collector = Self { url, received: Arc::default() };
        let received = Arc::clone(&collector.received);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let received = Arc::clone(&received);
                thread::spawn(move || answer(&stream.unwrap(), &received));
            }
        });
        collector
    }

    fn received(&self) -> Vec<Vec<u8>> {
        self.received.lock().unwrap().clone()
    }

    fn spans(&self) -> Vec<Span> {
        let bodies = self.received().into_iter();
        let bodies = bodies.map(|body| ExportTraceServiceRequest::decode(&body[..]).unwrap());
        let scopes = bodies.flat_map(|body| body.resource_spans).flat_map(|it| it.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }
}

/// Answers all requests of a connection.
fn answer(mut stream: &TcpStream, received: &Mutex<Vec<Vec<u8>>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).unwrap_or(0) > 0 && line.trim() != "" {
            head += &std::mem::take(&mut line).to_ascii_lowercase();
        }
        if !head.starts_with("post /v1/traces ") {
            return;
        }
        assert!(head.contains("content-type: application/x-protobuf"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
        let mut body = vec![0; length.trim().parse().unwrap()];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        received.lock().unwrap().push(body);
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\
                      Content-Length: 0\r\n\r\n";
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The names of the span and of those around it, from the inside out, and then the id of the
/// parent that is not among them.
fn path(span: &Span, all: &[Span]) -> Vec<String> {
    let (mut path, mut span) = (vec![span.name.clone()], span);
    while let Some(parent) = all.iter().find(|other| other.span_id == span.parent_span_id) {
        path.push(parent.name.clone());
        span = parent;
    }
    path.push(hex(&span.parent_span_id));
    path
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|attribute| attribute.key == key);
    format!("{:?}", found.and_then(|attribute| attribute.value.as_ref()))
}

/// Whether a statement of this text is in these spans.
fn has_statement(spans: &[Span], text: &str, around: [&str; 3]) -> bool {
    spans.iter().any(|span| {
        let path = path(span, spans);
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        attribute(span, "db.query.text").contains(text)
            && path == [&["statement"], &around[..], &[CLIENT]].concat()
    })
}

#[test]
fn a_request_is_a_tree_of_spans_without_values_sent_at_the_latest_when_the_server_stops() {
    let collector = Collector::start();
    let store = Store::with(&company::company().and([planned(1)]));
    let settings = [
        ("PATROL_TRACES_ENDPOINT", collector.url.as_str()),
        // Only requests whose client has decided so are traced.
        ("PATROL_TRACES_RATIO", "0"),
        // Nothing is sent before the end.
        ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
    ];
    let mut running = Running::set(store, &settings);
    let token = running.store.token(ADMIN);
    let api = running.server.api().with_token(&token);
    let guard = format!("/users/{GUARD}");
    let execution = format!("/task-executions/{}", execution_id(1));
    let _ = api.patch(&guard, &json!({ "firstName": "untraced" })).ok();
    let declined = api.with("traceparent", &format!("00-{TRACE}-{CLIENT}-00"));
    let _ = declined.get(&execution).ok();

    let traced = api.with("traceparent", &format!("00-{TRACE}-{CLIENT}-01"));
    let keyed = traced.with("Idempotency-Key", "sesame-key");
    let pin = json!({ "employeePin": "sesame-pin", "firstName": "Sesame-first" });
    let _ = keyed.patch(&guard, &pin).ok();
    let _ = traced.get(&execution).ok();
    let _ = traced.get("/task-executions/info?name=sesame-search&sort=name").ok();
    let _ = traced.with("authorization", "Bearer ptl_sesame").get(&execution).json(401);
    running.server.terminate();
    assert!(running.server.wait().success());

    let spans = collector.spans();
    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE), "{spans:#?}");
    let change = ["transaction", "user.patch", "PATCH /v1/users/{id}"];
    assert!(has_statement(&spans, "UPDATE", change), "{spans:#?}");
    assert!(has_statement(&spans, "idempotency_keys", change), "{spans:#?}");
    let read = ["read", "task_execution.get", "GET /v1/task-executions/{id}"];
    assert!(has_statement(&spans, "SELECT", read), "{spans:#?}");
    let list = ["list", "task_execution.list", "GET /v1/task-executions/info"];
    assert!(has_statement(&spans, "SELECT", list), "{spans:#?}");
    let status = |span: &&Span| attribute(span, "http.response.status_code");
    let refused = spans.iter().find(|span| status(span).contains("401")).unwrap();
    assert!(attribute(refused, "error.type").contains("unauthorized"), "{refused:#?}");
    let requests = spans.iter().filter(|span| span.name.starts_with("GET /v1/"));
    assert_eq!(requests.filter(|span| status(span).contains("200")).count(), 2, "{spans:#?}");
    for body in collector.received() {
        let text = String::from_utf8_lossy(&body).to_lowercase();
        for secret in ["sesame", "untraced", "ptl_", &token.to_lowercase(), GUARD] {
            assert!(!text.contains(secret), "{secret} is in a span: {spans:#?}");
        }
    }
}

#[test]
fn a_collector_that_does_not_answer_holds_no_request_and_not_the_end_of_the_server() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str()),
        // A queue that is always full.
        ("OTEL_BSP_MAX_QUEUE_SIZE", "4"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2"),
    ];
    let mut running = Running::set(Store::with(&company::company()), &settings);
    for number in 0..20 {
        let name = format!("Number {number}");
        let _ = running.admin.patch(&format!("/users/{GUARD}"), &json!({ "firstName": name })).ok();
    }
    // The exporter has connected, and waits for an answer.
    let _connection = silent.accept().unwrap();
    running.server.terminate();
    assert!(running.server.wait().success());
}

#[test]
fn a_collector_that_is_down_is_logged_and_counted() {
    let settings =
        [("PATROL_TRACES_ENDPOINT", "http://127.0.0.1:1"), ("OTEL_BSP_SCHEDULE_DELAY", "50")];
    let running = Running::set(Store::with(&company::company().and([planned(1)])), &settings);
    let until = Instant::now() + PATIENCE;
    loop {
        let _ = running.read(1);
        let metrics = running.server.api().outside("/metrics");
        let metrics = String::from_utf8(metrics.body).unwrap();
        let failed =
            metrics.lines().find_map(|it| it.strip_prefix("patrol_trace_spans_failed_total "));
        if failed.unwrap() != "0" {
            break;
        }
        assert!(Instant::now() < until, "{metrics}");
        thread::sleep(Duration::from_millis(20));
    }
    let log = running.server.log_once(|log| log.contains("spans are lost"));
    assert!(log.contains("network error"), "{log}");
}
