//! Clients that read slowly, but fast enough.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{Api, Running, company::GUARD, execution_id, round::eventually};
use serde_json::json;
use socket2::{Domain, Socket, Type};

use super::{LIST, head, many, metric};

/// Much more than 64 KiB per minute.
const PIECE: usize = 2 * 1024;
const PAUSE: Duration = Duration::from_millis(50);

/// Sends a GET by a connection with a small window, and reads nothing.
fn ask(running: &Running, path: &str) -> TcpStream {
    let address: SocketAddr = running.server.address().parse().unwrap();
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    socket.connect(&address.into()).unwrap();
    let mut stream = TcpStream::from(socket);
    let request = head(running, &format!("GET {path} HTTP/1.1"));
    write!(stream, "{request}Connection: close\r\n\r\n").unwrap();
    stream
}

/// Large responses that are not read, or not all, take memory. One user may take half of it.
#[test]
fn who_does_not_read_large_answers_gets_no_more_of_them() {
    let running = Running::set(many(), &[("PATROL_BODIES", "4MiB")]);
    let page = "/task-executions/info?limit=500";
    let length = |api: &Api| api.get(page).ok().to_string().len();
    let whole = length(&running.admin);
    assert!((1 << 19..1 << 20).contains(&whole), "{whole}");
    let held = || metric(&running, "http_answers_memory_bytes", &[]);
    let (one, two) = (ask(&running, &format!("/v1{page}")), ask(&running, &format!("/v1{page}")));
    // As much as one user may take; a list that is being sent counts 512 KiB.
    eventually("two answers that wait", || (held() == 1_048_576.0).then_some(()));
    let refused = running.admin.get(page);
    let _ = refused.refused(503, "service.unavailable");
    assert_eq!(refused.header("Retry-After"), Some("1"));
    // What is small is answered, and so are all others.
    let _ = running.admin.get("/me").ok();
    let path = format!("/task-executions/{}", execution_id(1));
    // A record might be large, and the answer to a change could not be kept back.
    let _ = running.admin.get(&path).refused(503, "service.unavailable");
    let change = json!({ "name": "renamed" });
    let _ = running.admin.patch(&path, &change).refused(503, "service.unavailable");
    let guard = running.api(GUARD);
    assert!(length(&guard) > 1 << 19);
    assert!(metric(&running, "http_answers_refused_total", &[]) >= 1.0);
    drop((one, two));
    eventually("nothing that waits", || (held() == 0.0).then_some(()));
    assert_eq!(length(&running.admin), whole);
}

#[test]
fn a_reader_with_a_small_window_gets_its_list() {
    let running = Running::set(many(), &[("PATROL_REQUEST_TIMEOUT", "4s")]);
    let mut stream = ask(&running, LIST);
    let started = Instant::now();
    let mut answer = Vec::new();
    let mut piece = [0; PIECE];
    // More than three times the request timeout.
    while started.elapsed() < Duration::from_secs(16) {
        let read = stream.read(&mut piece).expect("the server goes on");
        assert!(read > 0, "the list ends after {} bytes", answer.len());
        answer.extend(&piece[..read]);
        thread::sleep(PAUSE);
    }
    stream.read_to_end(&mut answer).expect("the server goes on");
    assert!(answer.ends_with(b"0\r\n\r\n"), "the list is whole");
}
