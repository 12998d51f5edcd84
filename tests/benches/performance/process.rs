//! Servers, as processes.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::machine;

/// How long a server may take to answer first.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server. Killed when dropped.
pub(crate) struct Process {
    child: Child,
    address: String,
}

/// An address that nobody listens on.
pub(crate) fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

impl Process {
    /// Starts a server and waits until it answers a read of `path`. Tells how long that took.
    pub(crate) fn start(
        mut command: Command,
        address: String,
        path: &str,
        token: &str,
    ) -> (Self, Duration) {
        let start = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let process = Self { child: child.expect("the server starts"), address };
        while !process.answers(path, token) {
            assert!(start.elapsed() < PATIENCE, "the server does not answer");
            thread::sleep(Duration::from_millis(1));
        }
        (process, start.elapsed())
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// A figure of the memory of the process, in MB.
    pub(crate) fn memory(&self, figure: &str) -> f64 {
        machine::memory(self.child.id(), figure).expect("the server runs")
    }

    fn answers(&self, path: &str, token: &str) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.address) else { return false };
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\n\r\n",
            self.address
        );
        let mut answer = Vec::new();
        let whole =
            stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_end(&mut answer));
        whole.is_ok() && answer.starts_with(b"HTTP/1.1 200")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
