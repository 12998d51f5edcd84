//! Clients that read slowly, but fast enough.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::Running;
use socket2::{Domain, Socket, Type};

use super::{LIST, head, many};

/// Much more than 64 KiB per minute.
const PIECE: usize = 2 * 1024;
const PAUSE: Duration = Duration::from_millis(50);

#[test]
fn a_reader_with_a_small_window_gets_its_list() {
    let running = Running::set(many(), &[("PATROL_REQUEST_TIMEOUT", "4s")]);
    let address: SocketAddr = running.server.address().parse().unwrap();
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    socket.connect(&address.into()).unwrap();
    let mut stream = TcpStream::from(socket);
    let request = head(&running, &format!("GET {LIST} HTTP/1.1"));
    write!(stream, "{request}Connection: close\r\n\r\n").unwrap();
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
