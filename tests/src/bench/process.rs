//! Servers as processes.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::machine;

/// The most time until the first response of a server.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a connection may be silent before the request is sent again.
const SILENCE: Duration = Duration::from_secs(10);

/// A server. Killed when dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    address: String,
}

/// A free address.
///
/// # Panics
/// When no port is free.
#[must_use]
pub fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

impl Process {
    /// Starts a server, waits until a GET of `path` returns 200, and returns the time that took. An
    /// empty token is not sent.
    ///
    /// # Panics
    /// When the server does not answer.
    #[must_use]
    pub fn start(command: Command, address: String, path: &str, token: &str) -> (Self, Duration) {
        Self::start_within(PATIENCE, command, address, path, token)
            .unwrap_or_else(|reason| panic!("{reason}"))
    }

    /// Like [`Self::start`], for a server that may be slow or fail to start.
    ///
    /// # Errors
    /// Why it does not answer.
    pub fn start_within(
        patience: Duration,
        mut command: Command,
        address: String,
        path: &str,
        token: &str,
    ) -> Result<(Self, Duration), String> {
        let start = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let child = child.map_err(|error| format!("{command:?} does not start: {error}"))?;
        let mut process = Self { child, address };
        while !process.answers(path, token) {
            if let Ok(Some(status)) = process.child.try_wait() {
                return Err(format!("{command:?} has ended: {status}"));
            }
            if start.elapsed() > patience {
                return Err(format!("{command:?} does not answer {path} within {patience:?}"));
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok((process, start.elapsed()))
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A memory figure of the process, in MB, by its name in `/proc/PID/status`.
    ///
    /// # Panics
    /// When it has ended.
    #[must_use]
    pub fn memory(&self, figure: &str) -> f64 {
        machine::memory(self.child.id(), figure).expect("the server runs")
    }

    /// The processor time that the process has used.
    ///
    /// # Panics
    /// When it has ended.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        machine::processor_time(self.child.id()).expect("the server runs")
    }

    /// The id of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn answers(&self, path: &str, token: &str) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.address) else { return false };
        let authorization = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\n{authorization}Connection: close\r\n\r\n",
            self.address
        );
        let mut answer = Vec::new();
        let whole = stream
            .set_read_timeout(Some(SILENCE))
            .and_then(|()| stream.write_all(request.as_bytes()))
            .and_then(|()| stream.read_to_end(&mut answer));
        whole.is_ok() && answer.starts_with(b"HTTP/1.1 200")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
