//! The server over real connections.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use patrol_domain::StoreError;
use tokio::sync::oneshot;

use super::*;
use crate::tests::Ports;

/// A server for one test.
struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<io::Result<()>>,
}

impl Server {
    fn start(settings: Settings) -> Self {
        Self::start_with(settings, |_| ())
    }

    fn start_with(settings: Settings, prepare: impl FnOnce(&mut Ports)) -> Self {
        let settings = Settings { listen: "127.0.0.1:0".parse().unwrap(), workers: 1, ..settings };
        let listener = bind(&settings).unwrap().listen().unwrap();
        let address = listener.local_addr().unwrap();
        let mut ports = Ports::default();
        prepare(&mut ports);
        let (stop, stopped) = oneshot::channel::<()>();
        let running = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(serve(listener, settings, ports.services(), None, None, async {
                stopped.await.unwrap_or_default();
            }))
        });
        Self { address, stop: Some(stop), running }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends bytes and reads until the server closes the connection.
    fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn stop(mut self) -> Duration {
        let started = Instant::now();
        self.stop.take().unwrap().send(()).unwrap();
        self.running.join().unwrap().unwrap();
        started.elapsed()
    }
}

/// Reads one response from a connection that stays open.
fn answer(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with("\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        text.push(char::from(byte[0]));
    }
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    text + &String::from_utf8_lossy(&body)
}

fn quick() -> Settings {
    Settings { request_timeout: Duration::from_millis(300), ..Settings::default() }
}

const PUT: &str = "PUT /v1/task-executions/0190a000-0000-7000-8000-00000000000a HTTP/1.1\r\n\
                   host: x\r\nauthorization: admin\r\ncontent-type: application/json\r\n";

const GET: &str = "GET /v1/task-executions/0190a000-0000-7000-8000-00000000000a HTTP/1.1\r\n\
                   host: x\r\nauthorization: admin\r\n\r\n";

const LIVE: &str = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";

#[test]
fn several_requests_share_a_connection() {
    let server = Server::start(Settings::default());
    let mut stream = server.connect();
    for _ in 0..3 {
        stream.write_all(LIVE.as_bytes()).unwrap();
        let answer = answer(&mut stream);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("live"), "{answer}");
    }
    stream.write_all(b"GET /v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let answer = answer(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("not.found"), "{answer}");
    drop(stream);
    server.stop();
}

#[test]
fn head_has_no_body_on_the_wire() {
    let server = Server::start(Settings::default());
    let answer = server.send("HEAD /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert!(answer.contains("content-length: 17\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
    let answer = server.send("HEAD /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 404") && answer.ends_with("\r\n\r\n"), "{answer}");
    server.stop();
}

#[test]
fn a_client_that_expects_100_continue_gets_it() {
    let server = Server::start(Settings::default());
    let mut stream = server.connect();
    let head = format!("{PUT}expect: 100-continue\r\ncontent-length: 2\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    assert!(answer(&mut stream).starts_with("HTTP/1.1 100"));
    stream.write_all(b"[]").unwrap();
    let answer = answer(&mut stream);
    assert!(answer.contains("multiple.resources.not.allowed"), "{answer}");
    drop(stream);
    server.stop();
}

#[test]
fn chunked_bodies_are_read_and_bounded() {
    let server = Server::start(Settings { body_limit: 8, ..Settings::default() });
    let chunked = format!("{PUT}transfer-encoding: chunked\r\nconnection: close\r\n\r\n");
    let answer = server.send(&format!("{chunked}1\r\n[\r\n1\r\n]\r\n0\r\n\r\n"));
    assert!(answer.contains("multiple.resources.not.allowed"), "{answer}");
    let answer = server.send(&format!("{chunked}9\r\n[1,2,3,4]\r\n0\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("payload.too.large"), "{answer}");
    server.stop();
}

#[test]
fn a_body_with_a_too_large_content_length_is_refused_at_once() {
    let server = Server::start(Settings::default());
    let mut stream = server.connect();
    stream.write_all(format!("{PUT}content-length: 99999999\r\n\r\n").as_bytes()).unwrap();
    let answer = answer(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("connection: close\r\n"), "{answer}");
    drop(stream);
    server.stop();
}

#[test]
fn a_body_shorter_than_its_content_length_is_invalid() {
    let server = Server::start(Settings::default());
    let mut stream = server.connect();
    stream.write_all(format!("{PUT}content-length: 9\r\n\r\n[]").as_bytes()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let answer = answer(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("input.data.invalid"), "{answer}");
    drop(stream);
    server.stop();
}

#[test]
fn a_body_that_arrives_too_slowly_is_refused() {
    let server = Server::start(quick());
    let started = Instant::now();
    let answer = server.send(&format!("{PUT}content-length: 9\r\n\r\n[1"));
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("input.data.invalid"), "{answer}");
    assert!(started.elapsed() < Duration::from_secs(15));
    server.stop();
}

#[test]
fn a_head_that_arrives_too_slowly_ends_the_connection() {
    let server = Server::start(quick());
    let answer = server.send("GET /health/live HTTP/1.1\r\nhos");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    server.stop();
}

#[test]
fn a_second_head_that_arrives_too_slowly_ends_the_connection() {
    let server = Server::start(quick());
    let mut stream = server.connect();
    stream.write_all(LIVE.as_bytes()).unwrap();
    assert!(answer(&mut stream).starts_with("HTTP/1.1 200"));
    stream.write_all(b"GET /health/live HTTP/1.1\r\nhos").unwrap();
    let started = Instant::now();
    let mut rest = Vec::new();
    let ended = stream.read_to_end(&mut rest);
    assert!(ended.is_ok() && rest.starts_with(b"HTTP/1.1 408 "), "{rest:?}");
    assert!(started.elapsed() < Duration::from_secs(30));
    server.stop();
}

#[test]
fn the_time_limit_is_for_each_head_and_not_for_the_connection() {
    let request_timeout = Duration::from_secs(4);
    let server = Server::start(Settings { request_timeout, ..Settings::default() });
    let mut stream = server.connect();
    for _ in 0..2 {
        stream.write_all(LIVE.as_bytes()).unwrap();
        assert!(answer(&mut stream).starts_with("HTTP/1.1 200"));
        thread::sleep(request_timeout / 2);
        stream.write_all(format!("{PUT}content-length: 2\r\n\r\n[").as_bytes()).unwrap();
        thread::sleep(request_timeout / 2);
        stream.write_all(b"]").unwrap();
        assert!(answer(&mut stream).contains("multiple.resources.not.allowed"));
    }
    drop(stream);
    server.stop();
}

#[test]
fn an_idle_connection_is_closed_in_time() {
    // Counted by a clock of actix that is 500 ms late, or more on a busy machine: the end of a shorter time can
    // be over at its beginning, and is then not seen before the time limit of the next head, 30 s.
    let keep_alive = Duration::from_secs(3);
    let server = Server::start(Settings { keep_alive, ..Settings::default() });
    let mut stream = server.connect();
    stream.write_all(LIVE.as_bytes()).unwrap();
    answer(&mut stream);
    let started = Instant::now();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    assert!(started.elapsed() < Duration::from_secs(30));
    server.stop();
}

#[test]
fn stopping_does_not_wait_for_idle_connections() {
    let server = Server::start(Settings::default());
    let mut stream = server.connect();
    stream.write_all(LIVE.as_bytes()).unwrap();
    answer(&mut stream);
    assert!(server.stop() < Duration::from_secs(30));
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}

#[test]
fn stopping_finishes_requests_in_flight_and_accepts_no_connection() {
    let server = Server::start_with(Settings::default(), |ports| {
        ports.executions.expect_get().returning(|_| {
            thread::sleep(Duration::from_millis(1600));
            Ok(None)
        });
    });
    let (address, mut stream) = (server.address, server.connect());
    stream.write_all(GET.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(200));
    assert!(server.stop() < Duration::from_secs(30));
    let in_flight = answer(&mut stream);
    assert!(in_flight.starts_with("HTTP/1.1 404"), "{in_flight}");
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn stopping_waits_for_connections_that_a_busy_worker_has_not_taken_over() {
    let settings = Settings { drain: Duration::ZERO, ..Settings::default() };
    let server = Server::start_with(settings, |ports| {
        ports.executions.expect_get().returning(|_| {
            thread::sleep(Duration::from_millis(700));
            Ok(None)
        });
    });
    let mut busy = server.connect();
    busy.write_all(LIVE.as_bytes()).unwrap();
    answer(&mut busy);
    busy.write_all(GET.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(200));
    let mut waiting = server.connect();
    waiting.write_all(LIVE.as_bytes()).unwrap();
    server.stop();
    assert!(answer(&mut busy).starts_with("HTTP/1.1 404"));
    assert!(answer(&mut waiting).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_request_during_the_drain_is_answered_and_closes_its_connection() {
    let settings = Settings { drain: Duration::from_secs(5), ..Settings::default() };
    let mut server = Server::start_with(settings, |ports| {
        ports.executions.expect_get().returning(|_| Ok(None));
    });
    let send = |server: &Server, path: &str| {
        server.send(&format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: admin\r\nconnection: close\r\n\r\n"
        ))
    };
    server.stop.take().unwrap().send(()).unwrap();
    thread::sleep(Duration::from_millis(250));
    assert!(send(&server, "/health/ready").starts_with("HTTP/1.1 503"));
    let served = send(&server, "/v1/task-executions/0190a000-0000-7000-8000-00000000000a");
    assert!(served.starts_with("HTTP/1.1 404"), "{served}");
    server.running.join().unwrap().unwrap();
}

#[test]
fn a_worker_survives_a_panic() {
    let server = Server::start_with(Settings::default(), |ports| {
        ports.executions.expect_get().returning(|_| panic!("secret-panic"));
    });
    let mut stream = server.connect();
    for _ in 0..3 {
        stream.write_all(GET.as_bytes()).unwrap();
        let answer = answer(&mut stream);
        assert!(answer.starts_with("HTTP/1.1 500") && !answer.contains("secret"), "{answer}");
    }
    stream.write_all(LIVE.as_bytes()).unwrap();
    assert!(answer(&mut stream).starts_with("HTTP/1.1 200"));
    drop(stream);
    server.stop();
}

#[test]
fn readiness_follows_the_store() {
    let unavailable = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&unavailable);
    let server = Server::start_with(Settings::default(), move |ports| {
        ports.readiness.expect_ping().returning(move || match asked.load(Ordering::SeqCst) {
            false => Ok(()),
            true => Err(StoreError::Unavailable("secret-address".into())),
        });
    });
    let ready =
        || server.send("GET /health/ready HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    for (now, line) in [(false, "HTTP/1.1 200"), (true, "HTTP/1.1 503"), (false, "HTTP/1.1 200")] {
        unavailable.store(now, Ordering::SeqCst);
        let changed = Instant::now();
        while !ready().starts_with(line) {
            assert!(changed.elapsed() < Duration::from_secs(30), "{line}");
            thread::sleep(Duration::from_millis(20));
        }
    }
    server.stop();
}

#[test]
fn an_address_is_bound_once_and_unsent_bytes_are_limited() {
    let settings = Settings { listen: "127.0.0.1:0".parse().unwrap(), ..Settings::default() };
    let listener = bind(&settings).unwrap().listen().unwrap();
    assert_ne!(listener.local_addr().unwrap().port(), 0);
    #[cfg(target_os = "linux")]
    {
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let accepted = socket2::SockRef::from(&accepted);
        assert_eq!(accepted.tcp_user_timeout().unwrap(), None);
        assert_eq!(accepted.tcp_notsent_lowat().unwrap(), MAX_UNSENT);
        drop(client);
    }
    let taken = Settings { listen: listener.local_addr().unwrap(), ..settings };
    assert_eq!(bind(&taken).err().unwrap().kind(), io::ErrorKind::AddrInUse);
}
