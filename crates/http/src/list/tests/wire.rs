//! Lists over a real connection.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};
use patrol_domain::{
    StoreError,
    list::{Listing, Part},
    task_execution::{ExecutionSummary, MockTaskExecutions},
};
use tokio::sync::oneshot;

use crate::{Settings, bind, serve, task_execution::tests::fixture::completed, tests::Ports};

/// A server that answers every list with `listing`; it stops when the sender is dropped.
fn serving(
    listing: impl Fn() -> Listing<ExecutionSummary> + Send + 'static,
) -> (SocketAddr, oneshot::Sender<()>) {
    let settings = Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        workers: 1,
        ..Settings::default()
    };
    let listener = bind(&settings).unwrap().listen().unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let mut executions = MockTaskExecutions::new();
        executions.expect_list().returning(move |_| listing());
        let services = Ports { executions, ..Ports::default() }.services();
        let shutdown = async {
            let _ = stopped.await;
        };
        actix_web::rt::System::new()
            .block_on(serve(listener, settings, services, None, None, shutdown))
    });
    (address, stop)
}

fn connect(address: SocketAddr) -> TcpStream {
    let mut connection = TcpStream::connect(address).unwrap();
    let request = b"GET /v1/task-executions/info HTTP/1.1\r\nHost: a\r\nAuthorization: admin\r\n\
        Connection: close\r\n\r\n";
    connection.write_all(request).unwrap();
    connection
}

/// The received bytes, complete or not.
fn raw_answer(address: SocketAddr) -> Vec<u8> {
    let mut answer = Vec::new();
    // An aborted connection may end with a reset.
    let _ = connect(address).read_to_end(&mut answer);
    answer
}

fn rows() -> Result<Part<ExecutionSummary>, StoreError> {
    Ok(Part::Rows(vec![completed().summary(); 64]))
}

/// Waits until `holds` is true; `false` after a long time.
fn eventually(holds: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

#[test]
fn only_a_complete_list_ends_with_the_last_chunk() {
    let failed = || Err(StoreError::Unavailable("gone".to_owned()));
    for (last, whole) in
        [(vec![Ok(Part::Total(640))], true), (vec![failed()], false), (vec![], false)]
    {
        let (address, _stop) = serving(move || {
            let mut parts: Vec<_> = (0..10).map(|_| rows()).collect();
            parts.extend(last.clone());
            stream::iter(parts).boxed()
        });
        let answer = raw_answer(address);
        let head = String::from_utf8_lossy(&answer[..500]).to_lowercase();
        assert!(head.starts_with("http/1.1 200 ok"), "{head}");
        assert!(head.contains("transfer-encoding: chunked"), "{head}");
        assert!(answer.len() > 300_000 || !whole);
        assert_eq!(answer.ends_with(b"\r\n0\r\n\r\n"), whole);
    }
}

#[test]
fn a_list_that_fails_at_once_is_an_error_response() {
    let (address, _stop) =
        serving(|| stream::iter([rows(), Err(StoreError::Unavailable("gone".to_owned()))]).boxed());
    let answer = String::from_utf8(raw_answer(address)).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("\"service.unavailable\""), "{answer}");
}

#[test]
fn a_client_that_does_not_read_pauses_the_query_and_disconnecting_cancels_it() {
    let (taken, running) = (Arc::new(AtomicUsize::new(0)), Arc::new(()));
    let (address, _stop) = serving({
        let (taken, running) = (Arc::clone(&taken), Arc::clone(&running));
        move || {
            let (taken, running) = (Arc::clone(&taken), Arc::clone(&running));
            let endless = stream::repeat_with(move || {
                let _running = &running;
                taken.fetch_add(1, Ordering::Relaxed);
                rows()
            });
            endless.boxed()
        }
    });
    let queries = || Arc::strong_count(&running) - 2;
    let connection = connect(address);
    // After the buffers of both sockets are full, nothing more is pulled.
    assert!(eventually(|| {
        let before = taken.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(300));
        before > 0 && taken.load(Ordering::Relaxed) == before
    }));
    assert_eq!(queries(), 1);
    drop(connection);
    assert!(eventually(|| queries() == 0));
}
