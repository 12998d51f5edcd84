//! A serving process.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use crate::{client::Api, store::Store};

/// The most time that a process may take to start or to stop; generous, because test machines are
/// busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// `patrol serve` on a free port. Killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
    log: Captured,
    output: Captured,
}

/// The output of a process so far.
#[derive(Clone, Debug, Default)]
struct Captured(Arc<Mutex<String>>);

impl Captured {
    fn push(&self, line: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(line);
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads all of `source` on its own thread; sends the first value that `wanted` returns for a
    /// line.
    fn follow<T: Send + 'static>(
        &self,
        source: impl Read + Send + 'static,
        wanted: impl Fn(&str) -> Option<T> + Send + 'static,
    ) -> mpsc::Receiver<T> {
        let (captured, (found, receiver)) = (self.clone(), mpsc::channel());
        thread::spawn(move || {
            let mut source = BufReader::new(source);
            let mut line = Vec::new();
            while source.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                let text = String::from_utf8_lossy(&line).into_owned();
                captured.push(&text);
                if let Some(value) = wanted(&text) {
                    // Only the first value is received.
                    drop(found.send(value));
                }
                line.clear();
            }
        });
        receiver
    }
}

impl Server {
    /// Serves the store.
    #[must_use]
    pub fn start(store: &Store) -> Self {
        Self::run(store.command(&["serve"]))
    }

    /// Runs the command on a free port and waits until it listens.
    ///
    /// # Panics
    /// When it does not listen in time.
    #[must_use]
    pub fn run(command: Command) -> Self {
        Self::run_at(command, "127.0.0.1:0")
    }

    /// Runs the command on a port of 127.0.0.1 and waits until it listens.
    ///
    /// # Panics
    /// When it does not listen in time.
    #[must_use]
    pub fn run_at(mut command: Command, address: &str) -> Self {
        command.env("PATROL_LISTEN", address);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (log, output) = (Captured::default(), Captured::default());
        let stderr = child.stderr.take().expect("standard error is piped");
        let stdout = child.stdout.take().expect("standard output is piped");
        let listening = log.follow(stderr, listening);
        drop(output.follow(stdout, |_| None::<()>));
        let Ok(address) = listening.recv_timeout(PATIENCE) else {
            drop(child.kill());
            panic!("the server does not say where it listens; its log:\n{}", log.text());
        };
        Self { child, address, log, output }
    }

    /// Host and port.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The process id.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// The peak memory of the process, in bytes.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process()));
        let status = status.expect("the system tells of the process");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        let kib: usize = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        kib * 1024
    }

    /// The bytes by which the peak memory has grown since it was `before`.
    ///
    /// The kernel adds counters of each processor, so a later peak can be some pages smaller.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn peak_growth(&self, before: usize) -> usize {
        self.peak_memory().saturating_sub(before)
    }

    /// The log so far.
    #[must_use]
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// The log, once `wanted` is true for it.
    ///
    /// # Panics
    /// When that does not happen in time.
    pub fn log_once(&self, wanted: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let log = self.log();
            if wanted(&log) {
                return log;
            }
            assert!(Instant::now() < until, "the log lacks a line:\n{log}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The standard output so far.
    #[must_use]
    pub fn output(&self) -> String {
        self.output.text()
    }

    /// A client without a token.
    #[must_use]
    pub fn api(&self) -> Api {
        Api::new(&self.address)
    }

    /// Sends SIGTERM without waiting.
    pub fn terminate(&self) {
        let kill = format!("kill -TERM {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &kill]).status().expect("sh runs");
        assert!(sent.success(), "{kill}");
    }

    /// Waits for the process to end.
    ///
    /// # Panics
    /// When it does not end in time.
    pub fn wait(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                return status;
            }
            assert!(Instant::now() < until, "the server does not stop; its log:\n{}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the process, as in a crash.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // The process may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
        let log = self.log();
        if thread::panicking() {
            eprintln!("log of the server:\n{log}");
        } else {
            assert!(!log.contains("panicked"), "the server panicked:\n{log}");
        }
    }
}

/// The address in the log line `listening`.
fn listening(line: &str) -> Option<String> {
    const HOST: &str = "127.0.0.1:";
    let (_, after) = line.contains("listening").then(|| line.split_once(HOST)).flatten()?;
    let port: String = after.chars().take_while(char::is_ascii_digit).collect();
    (!port.is_empty()).then(|| format!("{HOST}{port}"))
}
