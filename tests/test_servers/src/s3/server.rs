//! A server for a single test.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, SystemTime},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::program::program;
use crate::free_port;

/// The only bucket of a server.
const BUCKET: &str = "company-photos";

/// The access key and its secret.
const KEY: &str = "anna";
const SECRET: &str = "a-secret-of-anna";

/// A server with an empty bucket. Dropping it stops the server and deletes the objects.
#[derive(Debug)]
pub struct Server {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
}

impl Server {
    /// Starts a server on a port of 127.0.0.1, which it keeps over restarts.
    ///
    /// # Panics
    /// When its program is missing, or it does not start.
    #[must_use]
    pub fn start() -> Self {
        let folder = TempDir::with_prefix("patrol-s3-").expect("a temporary directory");
        fs::create_dir(folder.path().join(BUCKET)).expect("the folder is ours");
        let mut server = Self { folder, port: free_port(), process: None };
        server.resume_service();
        server
    }

    /// Kills the server, as a crash does; it can be started again.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().expect("the process is ours");
            process.wait().expect("it ends");
        }
    }

    /// Starts the server again and returns when it accepts connections.
    ///
    /// # Panics
    /// When it does not start.
    pub fn resume_service(&mut self) {
        // The server ends when the last handle of its standard input is closed.
        let mut process = Command::new(program())
            .arg(self.folder.path())
            .arg(self.port.to_string())
            .envs(self.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // It writes a line when it listens. A connection would also succeed to another server.
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("the pipe is ours");
        assert_eq!(line, "listening\n", "the S3 server ended: {:?}", process.wait());
        self.process = Some(process);
    }

    /// Suspends the server: it accepts connections but never answers.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes the server after [`Self::freeze`].
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// The bucket, or a prefix in it, as a value for `PATROL_PHOTOS_URL`.
    #[must_use]
    pub fn url(&self, prefix: &str) -> String {
        format!("s3://{BUCKET}/{prefix}")
    }

    /// The name of the bucket.
    #[must_use]
    pub const fn bucket(&self) -> &'static str {
        BUCKET
    }

    /// The environment variables of a client with full access.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let variables = [
            ("AWS_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "eu-north-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Stores an object directly in the file system.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn place(&self, key: &str, content: &[u8]) {
        let path = self.path(key);
        fs::create_dir_all(path.parent().expect("a bucket")).expect("the folder is ours");
        fs::write(&path, content).expect("the folder is ours");
    }

    /// Makes an object one hour old.
    ///
    /// # Panics
    /// When there is no such object.
    #[allow(clippy::disallowed_methods, reason = "the server looks at the clock of the machine")]
    pub fn age(&self, key: &str) {
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        let file = File::options().write(true).open(self.path(key)).expect("an object");
        file.set_modified(hour_ago).expect("the file is ours");
    }

    /// The keys of all objects, sorted.
    ///
    /// # Panics
    /// When the bucket cannot be read.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let (mut keys, mut prefixes) = (Vec::new(), vec![String::new()]);
        while let Some(prefix) = prefixes.pop() {
            for entry in fs::read_dir(self.path(&prefix)).expect("the bucket is ours") {
                let entry = entry.expect("an entry");
                let key = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    prefixes.push(format!("{key}/"));
                } else {
                    keys.push(key);
                }
            }
        }
        keys.sort();
        keys
    }

    /// The file of an object: a bucket is a folder, an object a file in it.
    fn path(&self, key: &str) -> PathBuf {
        self.folder.path().join(BUCKET).join(key)
    }

    fn signal(&self, signal: Signal) {
        let id = self.process.as_ref().and_then(|process| i32::try_from(process.id()).ok());
        let process = id.and_then(Pid::from_raw).expect("the server runs");
        kill_process(process, signal).expect("the process is ours");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
