//! More connections than the server accepts.

use std::{
    net::TcpStream,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{Running, Server, Store, Wire, company};

const LIVE: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

/// An open connection after an answered request.
fn idle(server: &Server) -> Wire {
    let mut wire = Wire::connect(server.address());
    wire.send(LIVE);
    assert_eq!(wire.read_status(), 200);
    wire
}

#[test]
fn connections_above_the_limit_are_answered_and_probes_served() {
    let store = Store::with(&company::company());
    let running = Running::set(store, &[("PATROL_CONNECTIONS", "5")]);
    let held: Vec<_> = (0..5).map(|_| idle(&running.server)).collect();
    for _ in 0..3 {
        let mut wire = Wire::connect(running.server.address());
        wire.send("GET /v1/locations HTTP/1.1\r\nHost: x\r\n\r\n");
        let answer = String::from_utf8(wire.read_to_end().unwrap()).unwrap();
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(
            answer.contains("service.unavailable") && answer.contains("retry-after"),
            "{answer}"
        );
        drop(idle(&running.server));
    }
    drop(held);
    let log = running.server.log_once(|log| log.contains("accepted as usual again"));
    assert_eq!(log.matches("too many connections").count(), 1, "{log}");
    assert_eq!(running.admin.get("/locations").status, 200);
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
    // Connections that have sent nothing for two seconds are closed to make space.
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
