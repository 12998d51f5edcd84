//! A stopping server loses no request.

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpStream},
    thread,
    time::Duration,
};

use std::io::{Read, Write};

use patrol_tests::{Server, Store};

const CLIENTS: usize = 8;
const ROUNDS: usize = 4;
const REQUEST: &[u8] = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

/// The result of a client that sends requests continually, on the same connection as long as
/// possible.
#[derive(Debug, Default)]
struct Outcome {
    answered: usize,
    lost: usize,
    told_to_close: usize,
}

fn ask_until_the_end(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let mut connection: Option<TcpStream> = None;
    loop {
        let mut stream = match connection.take() {
            Some(stream) => stream,
            None => match TcpStream::connect_timeout(&address, Duration::from_secs(20)) {
                Ok(stream) => stream,
                // The request was not sent.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return outcome,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return outcome,
                Err(error) => panic!("{error}"),
            },
        };
        let answer = stream.write_all(REQUEST).and_then(|()| read(&mut stream));
        match answer {
            Ok(head) => {
                outcome.answered += 1;
                if head.contains("connection: close") {
                    outcome.told_to_close += 1;
                } else {
                    connection = Some(stream);
                }
            }
            Err(_) => outcome.lost += 1,
        }
    }
}

/// Reads one response with a body of 17 bytes, and returns its head.
fn read(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes.extend(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() == "{\"status\":\"live\"}".len()
        {
            return Ok(head.to_owned());
        }
    }
}

#[test]
fn clients_in_a_closed_loop_lose_no_request() {
    let store = Store::empty();
    for round in 0..ROUNDS {
        let mut server = Server::start(&store);
        let address = server.address().parse().expect("an address");
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| thread::spawn(move || ask_until_the_end(address))).collect();
        thread::sleep(Duration::from_millis(300));
        server.terminate();
        for client in clients {
            let outcome = client.join().expect("a client ends");
            assert_eq!(outcome.lost, 0, "round {round}: {outcome:?}");
            assert!(outcome.told_to_close > 0, "round {round}: {outcome:?}");
        }
        assert_eq!(server.wait().code(), Some(0));
    }
}

#[test]
fn the_time_to_drain_is_a_setting() {
    let store = Store::empty();
    let mut command = store.command(&["serve"]);
    command.env("PATROL_DRAIN", "8s");
    let mut server = Server::run(command);
    server.terminate();
    thread::sleep(Duration::from_secs(2));
    let api = server.api();
    assert_eq!(api.outside("/health/live").status, 200);
    assert_eq!(api.outside("/health/ready").status, 503);
    assert_eq!(server.wait().code(), Some(0));
}
