//! Requests that wait for events.

use patrol_domain::event::{EventPage, MockEvents};

use crate::tests::{Ports, TestServer, request};

#[actix_web::test]
async fn a_search_for_rare_events_ends_when_the_server_stops() {
    let mut events = MockEvents::new();
    events
        .expect_page()
        .times(1)
        .returning(|query| Ok(EventPage { events: Vec::new(), next: query.after + 1, more: true }));
    let server = TestServer::new(Ports { events, ..Ports::default() });
    server.shared().health.stop();
    let answer = server.send(request("GET /events?wait=5", "")).await;
    assert_eq!((answer.status, &answer.json()["more"]), (200, &true.into()));
}
