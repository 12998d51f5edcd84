//! More connections than the server accepts.

use std::{
    net::TcpStream,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{Running, Server, Store, Wire, company, execution_id};

use super::{head, metric};

const LIVE: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

/// An open connection after an answered request.
fn idle(server: &Server) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(LIVE);
    assert_eq!(wire.read_status(), 200);
    wire
}

/// A connection whose request has begun, and waits for its body.
fn busy(running: &Running, head: &str) -> Wire {
    let mut wire = Wire::connect(running.server.address());
    wire.send(format!("{head}Expect: 100-continue\r\nContent-Length: 14\r\n\r\n"));
    assert_eq!(wire.read_status(), 100);
    wire
}

#[test]
fn connections_above_the_limit_are_answered_and_probes_served() {
    let store = Store::with(&company::company());
    let running = Running::set(store, &[("PATROL_CONNECTIONS", "5")]);
    let patch = format!("PATCH /v1/task-executions/{} HTTP/1.1", execution_id(1));
    let patch = head(&running, &patch);
    let held: Vec<_> = (0..5).map(|_| busy(&running, &patch)).collect();
    let mut wire = Wire::connect(running.server.address());
    wire.send("GET /v1/locations HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = String::from_utf8(wire.read_to_end().unwrap()).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("service.unavailable") && answer.contains("retry-after"), "{answer}");
    drop([(); 3].map(|()| idle(&running.server)));
    drop(held);
    let log = running.server.log_once(|log| log.contains("accepted as usual again"));
    assert_eq!(log.matches("too many connections").count(), 1, "{log}");
    assert_eq!(running.admin.get("/locations").status, 200);
}

#[test]
fn connections_that_wait_for_their_clients_make_room() {
    let store = Store::with(&company::company());
    let running = Running::set(store, &[("PATROL_CONNECTIONS", "5")]);
    let address = running.server.address();
    let mut part = Wire::connect(address);
    part.send("G");
    let form = "POST /sign-in HTTP/1.1\r\nHost: x\r\n\
                Content-Type: application/x-www-form-urlencoded\r\n";
    let held = [
        Wire::connect(address),
        part,
        idle(&running.server),
        busy(&running, form),
        busy(&running, form),
    ];
    // Those that have sent no request are given a second before they make room.
    thread::sleep(Duration::from_secs(1));
    let _new = [(); 5].map(|()| idle(&running.server));
    for mut wire in held {
        let _ = wire.read_to_end().expect("the server closes the connection");
    }
    assert!(metric(&running, "http_connections_evicted_total", &[]) >= 5.0);
    assert_eq!(metric(&running, "http_connections_refused_total", &[r#"how="answered""#]), 0.0);
}

#[cfg(unix)]
#[test]
fn a_server_without_descriptors_left_still_says_that_it_lives() {
    let store = Store::with(&company::company());
    let serve = store.command(&["serve"]);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 200 && exec \"$@\"", "sh"]).arg(serve.get_program());
    command.args(serve.get_args());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = serve.get_current_dir() {
        command.current_dir(folder);
    }
    let server = Server::run(command);
    // Some of them may already be refused.
    let _held: Vec<_> =
        (0..250).filter_map(|_| TcpStream::connect(server.address()).ok()).collect();
    let until = Instant::now() + Duration::from_secs(60);
    let says_that_it_lives = || {
        let Ok(mut wire) = Wire::try_connect(server.address()) else { return false };
        wire.send(LIVE);
        wire.read_to_end_within(Duration::from_secs(3)).starts_with(b"HTTP/1.1 200")
    };
    while !says_that_it_lives() {
        assert!(Instant::now() < until, "no answer");
        thread::sleep(Duration::from_millis(20));
    }
    let _ = server.log_once(|log| log.contains("too many connections"));
}
