//! Requests with an `Idempotency-Key` on two nodes.

use std::{
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{
    Running, Server, Store,
    company::{self, ADMIN, PORT},
};
use serde_json::json;

#[test]
fn of_the_same_request_on_two_nodes_one_takes_effect() {
    let one = Running::on(Store::postgres().and(&company::company()));
    let other = Server::start(&one.store);
    let token = one.store.token(ADMIN);
    let clients = [&one.server, &other].map(|server| server.api().with_token(&token));
    for round in 0..10 {
        let name = format!("P{round}");
        let body = json!({ "name": name, "locationId": PORT, "type": "VIRTUAL" });
        let answers: Vec<_> = thread::scope(|scope| {
            let sent = (0..8).map(|n| {
                let api = clients[n % 2].with("Idempotency-Key", &name);
                let body = &body;
                scope.spawn(move || {
                    let until = Instant::now() + Duration::from_secs(60);
                    loop {
                        let answer = api.post("/locations/points", body);
                        if answer.status != 409 {
                            return answer.json(201)["id"].clone();
                        }
                        let _ = answer.refused(409, "idempotency.key.in.use");
                        assert!(Instant::now() < until, "the first request does not end");
                        thread::sleep(Duration::from_millis(10));
                    }
                })
            });
            let sent: Vec<_> = sent.collect();
            sent.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|id| *id == answers[0]), "{answers:?}");
    }
    let events = one.admin.get("/events?type=point.created&limit=1000").ok();
    assert_eq!(events["data"].as_array().unwrap().len(), 10);
}
