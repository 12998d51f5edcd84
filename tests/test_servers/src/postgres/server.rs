//! A server for a single test.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use super::{
    folder, keeper,
    process::{children, lives, run, signal},
    programs::Programs,
    sql,
};
use crate::free_port;

/// Whether commits survive a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit is on disk before the client is told, as in production.
    Kept,
    /// A commit may be lost in a crash of the machine; everything is faster.
    Fast,
}

/// How a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Sessions get an error (57P01), and everything is written to disk.
    Fast,
    /// Every process is killed, as in a crash.
    Immediate,
}

/// The most time that a server may take to start or to stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// An unused server is stopped after this many seconds.
const IDLE: u32 = 3;

/// The superuser of the tests.
const USER: &str = "patrol";

/// A server. Dropping it stops it.
#[derive(Debug)]
pub struct Server {
    programs: Programs,
    folder: PathBuf,
    user: String,
    port: u16,
    password: String,
}

impl Server {
    /// Creates a server and starts it on a port of 127.0.0.1, which it keeps over restarts. Clients
    /// need a password.
    ///
    /// # Panics
    /// When there is no PostgreSQL, or it does not start.
    #[must_use]
    pub fn start(durability: Durability) -> Self {
        Self::start_for(USER, durability)
    }

    /// The same with another name of the superuser.
    ///
    /// # Panics
    /// When there is no PostgreSQL, or it does not start.
    #[must_use]
    pub fn start_for(user: &str, durability: Durability) -> Self {
        Self::start_in(&folder::home().join(folder::random()), user, durability, IDLE)
    }

    /// The server that all tests share.
    pub(crate) fn start_shared(folder: &Path, idle: u32) -> Self {
        Self::start_in(folder, USER, Durability::Fast, idle)
    }

    fn start_in(folder: &Path, user: &str, durability: Durability, idle: u32) -> Self {
        let server = Self {
            programs: Programs::find(),
            folder: folder.to_owned(),
            user: user.to_owned(),
            port: free_port(),
            password: folder::random(),
        };
        server.programs.create_folder(folder);
        keeper::keep(folder, idle);
        server.initialise();
        server.configure(durability);
        server.resume_service();
        server
    }

    /// A standby of this server, which is restarted. It is asynchronous unless [`Self::wait_for`]
    /// names it, and read-only until it is promoted.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn standby(&self, name: &str) -> Self {
        let Self { programs, folder: _, user, port: _, password } = self;
        let (programs, user, password) = (programs.clone(), user.clone(), password.clone());
        let folder = folder::home().join(folder::random());
        programs.create_folder(&folder);
        keeper::keep(&folder, IDLE);
        let standby = Self { programs, folder, user, port: free_port(), password };
        // A copy of a stopped server needs no program of its own, unlike `pg_basebackup`, which
        // some packages lack.
        self.stop(Stop::Fast);
        run(standby.programs.system_command("cp").arg("-a").arg(self.data()).arg(standby.data()));
        self.resume_service();
        let source = format!("{} application_name={name}", self.parameters());
        standby.set(&format!("primary_conninfo = '{source}'\n"));
        let signal = standby.data().join("standby.signal");
        fs::write(&signal, "").expect("the folder is ours");
        standby.programs.give(&signal);
        standby.resume_service();
        standby
    }

    /// From now on a commit waits for the standby of this name.
    ///
    /// # Panics
    /// When the server cannot be reached.
    pub fn wait_for(&self, standby: &str) {
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{standby}'");
        sql::execute(&self.url("postgres"), &set);
        sql::execute(&self.url("postgres"), "SELECT pg_reload_conf()");
    }

    /// Promotes a standby to a primary, which accepts writes.
    ///
    /// # Panics
    /// When it is not a standby.
    pub fn promote(&self) {
        // The setting was copied from its source: it would wait for a standby of its own name.
        sql::execute(&self.url("postgres"), "ALTER SYSTEM SET synchronous_standby_names = ''");
        run(self.programs.command("pg_ctl").args(["-w", "promote", "-D"]).arg(self.data()));
    }

    /// Makes a stopped server read-only from its next start on, like an old primary that another
    /// one has replaced.
    ///
    /// # Panics
    /// When its settings cannot be written.
    pub fn forbid_writes(&self) {
        self.set("default_transaction_read_only = on\n");
    }

    /// Stops the server; it can be started again.
    ///
    /// # Panics
    /// When it does not stop.
    pub fn stop(&self, stop: Stop) {
        let Some(process) = self.process() else { return };
        signal(process, if stop == Stop::Fast { Signal::INT } else { Signal::QUIT });
        let start = Instant::now();
        while lives(process) && self.process().is_some() {
            assert!(start.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts the server again and returns when it accepts connections.
    ///
    /// # Panics
    /// When it does not start.
    pub fn resume_service(&self) {
        let mut command = self.programs.command("pg_ctl");
        // The server keeps its output open, so this must not wait for the end of the output.
        command
            .args(["-w", "-s", "-t", "60", "start", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(self.log())
            .args(["-o", &format!("-p {}", self.port)]);
        let started = quietly(&mut command);
        assert!(started, "{}", fs::read_to_string(self.log()).unwrap_or_default());
    }

    /// Suspends every process of the server: it accepts connections but never answers.
    ///
    /// # Panics
    /// When it does not run.
    pub fn freeze(&self) {
        self.signal_all(Signal::STOP);
    }

    /// Resumes the server after [`Self::freeze`].
    ///
    /// # Panics
    /// When it does not run.
    pub fn thaw(&self) {
        self.signal_all(Signal::CONT);
    }

    /// Offers TLS to clients from now on, with this certificate and key (PEM).
    ///
    /// # Panics
    /// When the server cannot be reached.
    pub fn speak_tls(&self, certificate: &str, key: &str) {
        for (name, content) in [("server.crt", certificate), ("server.key", key)] {
            let file = self.data().join(name);
            fs::write(&file, content).expect("the folder is ours");
            // PostgreSQL refuses a key that other users can read.
            fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("the file is ours");
            self.programs.give(&file);
        }
        sql::execute(&self.url("postgres"), "ALTER SYSTEM SET ssl = on");
        sql::execute(&self.url("postgres"), "SELECT pg_reload_conf()");
    }

    /// The URL of a database, for a superuser.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let Self { programs: _, folder: _, user, port, password } = self;
        format!("postgres://{user}:{password}@127.0.0.1:{port}/{database}")
    }

    /// The TCP port on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The password of the superuser.
    #[must_use]
    pub fn password(&self) -> &str {
        &self.password
    }

    /// The folder of the programs of this version.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        self.programs.folder()
    }

    /// The log of the server.
    #[must_use]
    pub fn said(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// The folder of the cluster.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn parameters(&self) -> String {
        let Self { programs: _, folder: _, user, port, password } = self;
        format!("host=127.0.0.1 port={port} user={user} password={password}")
    }

    fn initialise(&self) {
        let secret = self.folder.join("password");
        fs::write(&secret, &self.password).expect("a file");
        self.programs.give(&secret);
        let mut command = self.programs.command("initdb");
        // Checking a password by MD5 takes microseconds, by SCRAM milliseconds for each connection.
        command.args(["--no-sync", "--auth=md5", "--encoding=UTF8", "--locale=C.UTF-8", "-U"]);
        command.arg(&self.user).arg("--pwfile").arg(&secret).arg("-D").arg(self.data());
        if self.programs.version() >= 15 {
            // A locale that sorts differently from code points, so that tests find code that relies
            // on code point order.
            command.args(["--locale-provider=icu", "--icu-locale=en-US"]);
        }
        run(&mut command);
    }

    fn configure(&self, durability: Durability) {
        let mut settings = String::from(
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 300\n\
             shared_buffers = 64MB\nlogging_collector = off\nlog_min_messages = warning\n",
        );
        if durability == Durability::Fast {
            settings.push_str("fsync = off\nfull_page_writes = off\nautovacuum_naptime = 10s\n");
        }
        self.set(&settings);
    }

    /// Adds settings that hold from the next start on.
    fn set(&self, settings: &str) {
        let file = self.data().join("postgresql.conf");
        let mut all = fs::read_to_string(&file).expect("initdb has made it");
        all.push_str(settings);
        fs::write(&file, all).expect("it can be written");
    }

    fn signal_all(&self, sent: Signal) {
        let process = self.process().expect("the server runs");
        signal(process, sent);
        for child in children(process) {
            signal(child, sent);
        }
    }

    /// The process id of the postmaster, while it runs.
    fn process(&self) -> Option<u32> {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let process = file.lines().next()?.parse().ok()?;
        lives(process).then_some(process)
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
}

/// The script stops the server: it also waits for the end and deletes the folder.
impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = self.process() {
            // Suspended processes cannot end, so they are resumed first.
            for each in children(process).into_iter().chain([process]) {
                signal(each, Signal::CONT);
            }
            signal(process, Signal::QUIT);
        }
        drop(fs::remove_dir_all(self.folder.join("users")));
    }
}

/// Runs a program whose child processes stay, without waiting for their output.
fn quietly(command: &mut Command) -> bool {
    use std::process::Stdio;

    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
