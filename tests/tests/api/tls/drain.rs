//! A stopping server loses no request over TLS.

use std::{sync::Arc, thread};

use patrol_tests::Wire;
use rustls::{ALL_VERSIONS, ClientConfig};

use super::Secure;

const CLIENTS: usize = 4;
const REQUEST: &str = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n";

/// The number of answers, and of requests without one, until the server takes no connection.
fn ask_until_the_end(address: &str, config: &Arc<ClientConfig>) -> (usize, usize) {
    let (mut answered, mut lost) = (0, 0);
    let mut connection = None;
    loop {
        let mut wire = match connection.take() {
            Some(wire) => wire,
            None => match Wire::try_secure(address, config) {
                Ok(wire) => wire,
                // No request was sent.
                Err(_) => return (answered, lost),
            },
        };
        wire.send(REQUEST);
        match answer(&mut wire) {
            Some(head) => {
                answered += 1;
                connection = (!head.contains("connection: close")).then_some(wire);
            }
            None => lost += 1,
        }
    }
}

/// Reads a response, and returns its head.
fn answer(wire: &mut Wire) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"{\"status\":\"live\"}") {
        let more = wire.read(1024).ok().filter(|more| !more.is_empty())?;
        bytes.extend(more);
    }
    String::from_utf8(bytes).ok()
}

#[test]
fn clients_in_a_closed_loop_lose_no_request() {
    let mut secure = Secure::set(&[]);
    let config = secure.certificate.client(&[], ALL_VERSIONS);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (address, config) = (secure.server.address().to_owned(), Arc::clone(&config));
            thread::spawn(move || ask_until_the_end(&address, &config))
        })
        .collect();
    let _ = secure.server.log_once(|log| log.matches("answered").count() >= 4 * CLIENTS);
    secure.server.terminate();
    for client in clients {
        let (answered, lost) = client.join().expect("a client ends");
        assert!(answered > 0 && lost == 0, "{answered} answered, {lost} lost");
    }
    assert_eq!(secure.server.wait().code(), Some(0));
}
