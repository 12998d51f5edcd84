//! A folder in which tests run the program.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// A working directory with its own store.
pub(crate) struct Workspace {
    folder: TempDir,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Done {
    /// Expects success; returns standard output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// Expects this exit code; returns the one line of standard error.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        assert_eq!(self.err.matches('\n').count(), 1, "{self:?}");
        assert!(self.err.starts_with("patrol: ") && self.err.ends_with('\n'), "{self:?}");
        assert!(!self.err.contains("panic") && !self.err.contains(".rs:"), "{self:?}");
        self.err
    }
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A working directory whose store contains `records`.
    pub(crate) fn with(records: &str) -> Self {
        let workspace = Self::new();
        workspace.run_with_input(&["import", "-"], records).ok();
        workspace
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The file names in the folder, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, to run in the folder, without the environment variables of the user who runs
    /// the tests.
    pub(crate) fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_patrol"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PATROL_") {
                command.env_remove(name);
            }
        }
        command.args(line).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, line: &[&str]) -> Done {
        self.command(line).output().unwrap().into()
    }

    pub(crate) fn run_with_input(&self, line: &[&str], input: &str) -> Done {
        let mut child = self.start(line);
        // A command that fails early does not read all input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap().into()
    }

    /// Starts a command and keeps its standard input open.
    pub(crate) fn start(&self, line: &[&str]) -> Child {
        spawn(self.command(line))
    }

    /// Starts `patrol serve` on a free port and waits until it listens.
    pub(crate) fn serve(&self, line: &[&str]) -> Server {
        self.serve_with(line, &[])
    }

    /// The same with these environment variables.
    pub(crate) fn serve_with(&self, line: &[&str], variables: &[(&str, &str)]) -> Server {
        let line = [&["serve", "--listen", "127.0.0.1:0"], line].concat();
        let mut command = self.command(&line);
        command.envs(variables.iter().copied());
        let mut child = spawn(command);
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut read = String::new();
        let mut listening = String::new();
        while !listening.contains("listening") {
            listening.clear();
            assert_ne!(log.read_line(&mut listening).unwrap(), 0, "never listened: {read}");
            read.push_str(&listening);
        }
        let at = listening.find("127.0.0.1:").unwrap();
        let address: String = listening[at..]
            .chars()
            .take_while(|letter| letter.is_ascii_digit() || ".:".contains(*letter))
            .collect();
        // Reads continuously, so that a long log does not block the server.
        let log = std::thread::spawn(move || {
            let mut rest = String::new();
            log.read_to_string(&mut rest).unwrap();
            rest
        });
        Server { child, out, log: Some(log), listening, address }
    }
}

/// Starts the command with pipes.
fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A running server. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    log: Option<JoinHandle<String>>,
    /// The log line with the address.
    pub(crate) listening: String,
    /// Host and port.
    pub(crate) address: String,
}

impl Server {
    /// The next line of standard output.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// A connection on which this text was sent.
    pub(crate) fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// The response to a GET: head and body.
    pub(crate) fn get(&self, path: &str, token: &str) -> String {
        let mut stream = self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: patrol\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        ));
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn signal(&self, name: &str) {
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    }

    /// Waits for the process to end; returns the output that was not read yet.
    pub(crate) fn ended(mut self) -> Done {
        let deadline = Instant::now() + Duration::from_secs(60);
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > deadline => panic!("it did not end"),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let mut out = String::new();
        self.out.read_to_string(&mut out).unwrap();
        let err = self.log.take().unwrap().join().unwrap();
        Done { code: status.code(), out, err }
    }

    /// Stops the server with a signal and returns its output.
    pub(crate) fn stop(self) -> Done {
        self.signal("TERM");
        self.ended()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An ACTIVE administrator, an INACTIVE employee and a location.
pub(crate) const COMPANY: &str = concat!(
    r#"{"kind":"location","id":"0190a000-0000-7000-8000-000000000001","name":"Порт, склад 3","address":"1 Quay Rd","latitude":59.93,"longitude":30.25,"tags":["port"]}"#,
    "\n",
    r#"{"kind":"user","id":"0190a000-0000-7000-8000-0000000000a1","firstName":"Anna","lastName":"Berg","employeeNo":"0042","email":"anna@example.org","language":"en","role":"ADMIN","status":"ACTIVE"}"#,
    "\n",
    r#"{"kind":"user","id":"0190a000-0000-7000-8000-0000000000a2","firstName":"Иван","lastName":"Орлов","employeeNo":"0043","language":"ru","role":"EMPLOYEE","status":"INACTIVE"}"#,
    "\n",
);

/// The administrator of [`COMPANY`].
pub(crate) const ANNA: &str = "0190a000-0000-7000-8000-0000000000a1";
