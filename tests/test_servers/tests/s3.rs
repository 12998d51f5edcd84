//! Nothing is left behind, and unsigned requests are refused.

#![allow(clippy::unwrap_used)]

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    time::Duration,
};

use patrol_test_servers::s3::Server;

/// Host and port of the server.
fn address(server: &Server) -> String {
    let variables = server.environment();
    let endpoint = variables.iter().find(|(name, _)| name == "AWS_ENDPOINT").unwrap();
    endpoint.1.strip_prefix("http://").unwrap().to_owned()
}

fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!("{request} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_server_goes_with_its_value() {
    let server = Server::start();
    let address = address(&server);
    assert!(TcpStream::connect(&address).is_ok());
    drop(server);
    assert!(TcpStream::connect(&address).is_err());
}

#[test]
fn a_server_goes_with_the_process_that_started_it() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let mut process = Command::new(env!("CARGO_BIN_EXE_patrol-test-s3"))
        .arg(folder.path())
        .arg(patrol_test_servers::free_port().to_string())
        .envs(server.environment())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // As the system does when a process ends.
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
}

#[test]
fn nobody_gets_in_who_has_not_signed() {
    let server = Server::start();
    server.place("a/b", b"text");
    for request in ["GET /company-photos/a/b", "GET /company-photos?list-type=2", "GET /"] {
        let answer = ask(&address(&server), request);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        assert!(!answer.contains("text"), "{answer}");
    }
    assert_eq!(server.keys(), ["a/b"]);
}
