//! Errors of the pages of a site.

use actix_web::{test::TestRequest, web};
use patrol_domain::shared::ports::MockReadiness;

use super::*;
use crate::tests::{Ports, TestServer};

/// A server with a page whose handler fails with a defect.
fn server() -> TestServer {
    let broken = || SiteResource {
        pattern: "/broken",
        resource: web::resource("/broken")
            .to(async || Err::<HttpResponse, _>(PageError::internal("secret-template"))),
        is_page: true,
    };
    let mut readiness = MockReadiness::new();
    readiness.expect_ping().returning(|| Ok(()));
    TestServer::with_site(
        Ports { readiness, ..Ports::default() },
        Site {
            resources: Arc::new(move || vec![broken()]),
            error_page: Arc::new(|_, error| {
                Box::pin(async move { HttpResponse::build(error.status).body("a page") })
            }),
            session: Arc::new(|_| Box::pin(async { Ok(SessionCredential::Missing) })),
        },
    )
}

#[actix_web::test]
async fn a_defect_of_a_page_is_a_page_and_is_logged_and_counted() {
    let server = server();
    let (answer, log) = server.send_logged(TestRequest::get().uri("/broken")).await;
    assert_eq!((answer.status, answer.body.as_slice()), (500, b"a page".as_slice()));
    let line = log.lines().find(|line| line.contains("ERROR")).unwrap();
    assert!(line.contains("secret-template"), "{line}");
    let metrics = server.send(TestRequest::get().uri("/metrics")).await;
    let metrics = String::from_utf8(metrics.body).unwrap();
    let counted = "http_request_errors_total{code=\"internal.server.error\",method=\"GET\",\
                   route=\"/broken\"} 1";
    assert!(metrics.contains(counted), "{metrics}");
}
