//! Clients that read slowly or not at all, and clients that send more than the app reads.

use std::{
    future::poll_fn,
    io::{Read, Write},
    net::{TcpListener, TcpStream as Client},
    sync::Arc,
    thread,
};

use actix_http::RequestHead;
use actix_web::rt::net::TcpStream;
use patrol_domain::{
    Timestamp,
    shared::ports::{MockClock, MockIds},
};

use super::*;
use crate::{build::Build, metrics::Metrics};

const BUILD: Build = Build { version: "1.2.0", commit: "0123456789ab" };

/// Long enough for a thread to run on a busy machine.
const PERIOD: Duration = Duration::from_secs(1);
/// More than the buffers of both sides.
const LONG: usize = 32 << 20;

fn connected() -> (Connection, Client) {
    connected_of(&Arc::new(OpenConnections::new(1)))
}

/// A connection that counts among these.
fn connected_of(all: &Arc<OpenConnections>) -> (Connection, Client) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::connect(listener.local_addr().unwrap()).unwrap();
    let (stream, _) = listener.accept().unwrap();
    stream.set_nonblocking(true).unwrap();
    let stream = TcpStream::from_std(stream).unwrap();
    let mut clock = MockClock::new();
    clock.expect_now().returning(|| Timestamp::from_millis(0).unwrap());
    let open = all.admit().unwrap();
    let rejection_writer = Rc::new(RejectionWriter {
        clock: Arc::new(MockClock::new()),
        ids: Arc::new(MockIds::new()),
        metrics: Arc::new(Metrics::new(std::iter::empty(), &clock, BUILD).unwrap()),
    });
    let accepted = Accepted::new(stream, Duration::from_secs(30), open, rejection_writer);
    let mut connection = accepted.plain();
    connection.pace = Pace::new(PERIOD, PERIOD * 40);
    (connection, client)
}

/// Writes like actix.
async fn write(connection: &mut Connection, length: usize) -> Result<(), io::ErrorKind> {
    let bytes = vec![0; length];
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let count = poll_fn(|context| Pin::new(&mut *connection).poll_write(context, rest)).await;
        rest = &rest[count.map_err(|error| error.kind())?..];
    }
    poll_fn(|context| Pin::new(&mut *connection).poll_flush(context))
        .await
        .map_err(|error| error.kind())
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let (mut connection, _client) = connected();
    let started = Instant::now();
    assert_eq!(write(&mut connection, LONG).await, Err(io::ErrorKind::TimedOut));
    assert!((PERIOD..PERIOD * 40).contains(&started.elapsed()), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_slow_client_stays_connected() {
    let (mut connection, mut client) = connected();
    let reading = thread::spawn(move || {
        let mut count = 0;
        let mut piece = vec![0; 512 * 1024];
        while count < LONG {
            thread::sleep(Duration::from_millis(25));
            count += client.read(&mut piece).unwrap();
        }
    });
    let started = Instant::now();
    assert_eq!(write(&mut connection, LONG).await, Ok(()));
    assert!(started.elapsed() > PERIOD, "{:?}", started.elapsed());
    reading.join().unwrap();
}

/// Reads like actix: as long as there is something, into a buffer that grows, and empties the buffer
/// then. Ends after this many bytes, or when nothing arrives for so long. Returns the number of bytes
/// and the largest capacity of the buffer.
async fn read(connection: &mut Connection, most: usize, silence: Duration) -> (usize, usize) {
    let (mut count, mut capacity) = (0, 0);
    let mut buffer = BytesMut::with_capacity(8 * 1024);
    let mut take_turn = async || {
        poll_fn(|context| {
            loop {
                let spare = buffer.capacity() - buffer.len();
                if spare < 1024 {
                    buffer.reserve(8 * 1024 - spare);
                    capacity = capacity.max(buffer.capacity());
                }
                let mut piece = vec![0; buffer.capacity() - buffer.len()];
                let mut piece = ReadBuf::new(&mut piece);
                match Pin::new(&mut *connection).poll_read(context, &mut piece) {
                    Poll::Ready(Ok(())) => buffer.extend_from_slice(piece.filled()),
                    Poll::Pending if buffer.is_empty() => return Poll::Pending,
                    _ => return Poll::Ready(buffer.split().freeze().len()),
                }
            }
        })
        .await
    };
    while count < most
        && let Ok(bytes) = tokio::time::timeout(silence, take_turn()).await
    {
        count += bytes;
    }
    (count, capacity)
}

#[tokio::test]
async fn little_is_read_before_the_app_waits_for_it() {
    const SENT: usize = 256 << 10;
    let (mut connection, mut client) = connected();
    let sending = thread::spawn(move || client.write_all(&vec![0; 2 * SENT]).map(|()| client));
    let activity = connection.activity();
    let request = activity.begin(&RequestHead::default());
    let (ahead, _) = read(&mut connection, usize::MAX, PERIOD / 2).await;
    assert!(ahead <= READ_AHEAD + 8 * 1024, "{ahead}");
    drop(request);
    let (rest, _) = read(&mut connection, 2 * SENT - ahead, PERIOD * 20).await;
    assert_eq!(ahead + rest, 2 * SENT, "the rest is read after the answer");
    let _client = sending.join().unwrap().unwrap();
}

#[tokio::test]
async fn the_buffer_of_actix_stays_small_while_a_body_arrives() {
    const SENT: usize = 256 << 10;
    let (mut connection, mut client) = connected();
    let sending = thread::spawn(move || {
        for length in (0..SENT).step_by(SENT / 64) {
            client.write_all(&vec![0; SENT / 64]).unwrap();
            thread::sleep(Duration::from_millis(u64::from(length % 3 == 0)));
        }
        client
    });
    let activity = connection.activity();
    let _request = activity.begin(&RequestHead::default());
    activity.await_body(true);
    let (count, capacity) = read(&mut connection, SENT, PERIOD * 20).await;
    assert_eq!(count, SENT);
    assert!(capacity <= 8 * 1024, "{capacity}");
    let _client = sending.join().unwrap();
}

#[tokio::test]
async fn idle_time_does_not_count() {
    let mut pace = Pace::new(PERIOD, PERIOD * 40);
    let mut wait = async |least: Duration| {
        let waiting = poll_fn(|context| pace.poll_too_slow(context));
        let stuck = tokio::time::timeout(least, waiting).await.is_ok();
        pace.note_idle();
        stuck
    };
    assert!(!wait(PERIOD / 6).await);
    tokio::time::sleep(PERIOD * 2).await;
    assert!(!wait(PERIOD / 6).await);
    assert!(wait(PERIOD * 20).await);
}

#[tokio::test]
async fn a_stuck_client_is_disconnected_before_the_period_ends() {
    let mut pace = Pace::new(Duration::from_secs(3600), PERIOD);
    let mut wait = async |least: Duration| {
        let waiting = poll_fn(|context| pace.poll_too_slow(context));
        let stuck = tokio::time::timeout(least, waiting).await.is_ok();
        pace.note_read(1);
        stuck
    };
    for _ in 0..4 {
        assert!(!wait(PERIOD / 2).await, "the client has read something meanwhile");
    }
    assert!(wait(PERIOD * 20).await);
}

/// Reads once, like actix, which reads until nothing more has arrived.
async fn read_once(connection: &mut Connection) -> usize {
    let mut bytes = [0; 4096];
    let mut buffer = ReadBuf::new(&mut bytes);
    let read = poll_fn(|context| Pin::new(&mut *connection).poll_read(context, &mut buffer)).await;
    read.unwrap();
    buffer.filled().len()
}

/// The result of a read if nothing more has arrived.
fn read_now(connection: &mut Connection) -> Poll<usize> {
    let mut context = Context::from_waker(std::task::Waker::noop());
    let mut bytes = [0; 4096];
    let mut buffer = ReadBuf::new(&mut bytes);
    let read = Pin::new(connection).poll_read(&mut context, &mut buffer);
    read.map(|read| read.unwrap()).map(|()| buffer.filled().len())
}

#[tokio::test]
async fn a_request_that_arrives_as_others_need_its_place_is_answered() {
    let all = Arc::new(OpenConnections::new(1));
    let (mut connection, mut client) = connected_of(&all);
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(read_once(&mut connection).await, 18);
    let _other = all.admit().unwrap();
    assert!(read_now(&mut connection).is_pending(), "the request has yet to begin");
    let activity = connection.activity();
    let request = activity.begin(&RequestHead::default()).expect("it is executed");
    assert!(activity.is_last() && read_now(&mut connection).is_pending());
    drop(request);
    assert_eq!(read_now(&mut connection), Poll::Ready(0), "the end of the connection");
}

#[tokio::test]
async fn a_connection_that_waits_or_drains_closes_for_others() {
    let all = Arc::new(OpenConnections::new(1));
    let (mut connection, _client) = connected_of(&all);
    assert!(read_now(&mut connection).is_pending());
    let _other = all.admit().unwrap();
    assert_eq!(read_once(&mut connection).await, 0);

    let all = Arc::new(OpenConnections::new(1));
    let (mut connection, _client) = connected_of(&all);
    connection.activity().close(true);
    let other = all.admit().unwrap();
    let started = Instant::now();
    poll_fn(|context| connection.poll_close(context)).await.unwrap();
    assert!(started.elapsed() < CLOSE_TIMEOUT, "{:?}", started.elapsed());
    drop(other);
}
