//! What the log says of requests, and what it never says.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use actix_web::test::TestRequest;
use tracing_subscriber::fmt::MakeWriter;

use super::*;
use crate::testing::{NEW_ID, USER};

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Kept {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The lines that a request leaves.
async fn logged(request: TestRequest) -> Vec<String> {
    let kept = Kept::default();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(kept.clone()).finish();
    let guard = tracing::subscriber::set_default(subscriber);
    site().ask(request).await;
    drop(guard);
    let bytes = kept.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

#[actix_web::test]
async fn a_request_leaves_one_line_that_says_what_it_was() {
    let path = format!("/v1/things/{ID}?secret-query=1");
    let request = TestRequest::get().uri(&path).insert_header(("authorization", "Bearer admin"));
    let lines = logged(request).await;
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    for part in [
        "INFO",
        "method=\"GET\"",
        "route=\"/v1/things/{id}\"",
        "status=200",
        "micros=",
        &format!("request_id=\"{NEW_ID}\""),
        &format!("user={USER}"),
    ] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    assert!(!line.contains("secret") && !line.contains("admin"), "{line}");
}

#[actix_web::test]
async fn an_unknown_path_is_named_in_part_and_nobody_with_it() {
    let path = format!("/nowhere/{}", "x".repeat(1000));
    let lines =
        logged(TestRequest::get().uri(&path).insert_header(("authorization", "wrong"))).await;
    let [line] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.contains("route=\"/nowhere/x") && line.len() < 500, "{line}");
    assert!(!line.contains("user=") && !line.contains("wrong"), "{line}");
}

#[actix_web::test]
async fn a_failure_of_the_server_is_logged_with_its_cause_and_the_request() {
    for (path, level, cause) in [
        ("/v1/failures/store", "ERROR", "secret-column"),
        ("/v1/failures/away", "WARN", "secret-address"),
        ("/v1/failures/panic", "ERROR", "panic"),
    ] {
        let request = TestRequest::get().uri(path).insert_header(("authorization", "admin"));
        let lines = logged(request.insert_header(("x-request-id", "mine"))).await;
        let line = lines.iter().find(|line| line.contains(level)).unwrap();
        assert!(line.contains(cause) && line.contains("request_id=\"mine\""), "{line}");
    }
}

#[actix_web::test]
async fn an_answer_that_breaks_off_is_logged_with_its_request() {
    let request = TestRequest::get().uri("/v1/streams/broken");
    let lines = logged(request.insert_header(("authorization", "admin"))).await;
    let line = lines.iter().find(|line| line.contains("ERROR")).unwrap();
    assert!(line.contains("secret-column") && line.contains(NEW_ID), "{line}");
}
