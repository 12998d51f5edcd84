//! A server of a test's own.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::{
    folder, keeper,
    port::free_port,
    process::{children, lives, run, signal},
    programs::Programs,
    sql,
};

/// What a server does with what is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It is on the disk before the client is told, as in production.
    Kept,
    /// It is lost in a crash of the machine, and everything is faster.
    Fast,
}

/// How a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Sessions are ended with a word (57P01), everything is written to the disk.
    Fast,
    /// Every process is ended at once, as in a crash.
    Immediate,
}

/// How long a server may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// For how many seconds a server is kept that nobody uses.
const IDLE: u32 = 3;

/// The user that tests connect as, who may do everything.
const USER: &str = "patrol";

/// A server. It ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    programs: Programs,
    folder: PathBuf,
    port: u16,
    password: String,
}

impl Server {
    /// Makes a server and starts it. It listens on a port of 127.0.0.1, which it keeps when it is
    /// started again, and asks for a password.
    ///
    /// # Panics
    /// When there is no PostgreSQL, or it does not start.
    #[must_use]
    pub fn start(durability: Durability) -> Self {
        Self::start_in(&folder::home().join(folder::random()), durability, IDLE)
    }

    pub(crate) fn start_in(folder: &Path, durability: Durability, idle: u32) -> Self {
        let server = Self {
            programs: Programs::find(),
            folder: folder.to_owned(),
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

    /// A server that follows this one, and is not asked before a change is said to be stored unless
    /// [`Self::wait_for`] says so. It answers reads only, until it is promoted.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn standby(&self, name: &str) -> Self {
        let Self { programs, folder: _, port: _, password } = self;
        let (programs, password) = (programs.clone(), password.clone());
        let folder = folder::home().join(folder::random());
        programs.create_folder(&folder);
        keeper::keep(&folder, IDLE);
        let standby = Self { programs, folder, port: free_port(), password };
        let source = format!("{} application_name={name}", self.parameters());
        run(standby
            .programs
            .command("pg_basebackup")
            .args(["--checkpoint=fast", "--write-recovery-conf", "--no-sync", "-d", &source, "-D"])
            .arg(standby.data()));
        standby.resume_service();
        standby
    }

    /// From now on a change is stored when the standby of this name has it as well.
    ///
    /// # Panics
    /// When the server cannot be reached.
    pub fn wait_for(&self, standby: &str) {
        let set = format!("ALTER SYSTEM SET synchronous_standby_names = '{standby}'");
        sql::execute(&self.url("postgres"), &set);
        sql::execute(&self.url("postgres"), "SELECT pg_reload_conf()");
    }

    /// Makes a standby a server of its own, which takes writes.
    ///
    /// # Panics
    /// When it is no standby.
    pub fn promote(&self) {
        // It would go on waiting for the standby that its source had, which is itself.
        sql::execute(&self.url("postgres"), "ALTER SYSTEM SET synchronous_standby_names = ''");
        run(self.programs.command("pg_ctl").args(["-w", "promote", "-D"]).arg(self.data()));
    }

    /// From its next start on, a server that does not run takes reads only, as a primary does whose
    /// place another one has taken.
    ///
    /// # Panics
    /// When its settings cannot be written.
    pub fn forbid_writes(&self) {
        self.set("default_transaction_read_only = on\n");
    }

    /// Ends the server; it can be started again.
    ///
    /// # Panics
    /// When it does not end.
    pub fn stop(&self, stop: Stop) {
        let Some(process) = self.process() else { return };
        signal(process, if stop == Stop::Fast { Signal::INT } else { Signal::QUIT });
        let start = Instant::now();
        while lives(process) && self.process().is_some() {
            assert!(start.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts the server again, and returns when it takes connections.
    ///
    /// # Panics
    /// When it does not start.
    pub fn resume_service(&self) {
        let mut command = self.programs.command("pg_ctl");
        // Its output is kept open by the server, so that nobody may wait for its end.
        command
            .args(["-w", "-s", "-t", "60", "start", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(self.log())
            .args(["-o", &format!("-p {}", self.port)]);
        let started = quietly(&mut command);
        assert!(started, "{}", fs::read_to_string(self.log()).unwrap_or_default());
    }

    /// Freezes every process of the server: it takes connections, and never answers.
    ///
    /// # Panics
    /// When it does not run.
    pub fn freeze(&self) {
        self.signal_all(Signal::STOP);
    }

    /// Ends what [`Self::freeze`] began.
    ///
    /// # Panics
    /// When it does not run.
    pub fn thaw(&self) {
        self.signal_all(Signal::CONT);
    }

    /// From now on the server speaks TLS with whoever wants to, with this certificate and its key
    /// (PEM).
    ///
    /// # Panics
    /// When the server cannot be reached.
    pub fn speak_tls(&self, certificate: &str, key: &str) {
        for (name, content) in [("server.crt", certificate), ("server.key", key)] {
            let file = self.data().join(name);
            fs::write(&file, content).expect("the folder is ours");
            // A key that others may read is not taken.
            fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("the file is ours");
            self.programs.give(&file);
        }
        sql::execute(&self.url("postgres"), "ALTER SYSTEM SET ssl = on");
        sql::execute(&self.url("postgres"), "SELECT pg_reload_conf()");
    }

    /// The URL of a database, for somebody who may do everything.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let Self { programs: _, folder: _, port, password } = self;
        format!("postgres://{USER}:{password}@127.0.0.1:{port}/{database}")
    }

    /// The port on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// What the server has said.
    #[must_use]
    pub fn said(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    fn parameters(&self) -> String {
        format!("host=127.0.0.1 port={} user={USER} password={}", self.port, self.password)
    }

    fn initialise(&self) {
        let secret = self.folder.join("password");
        fs::write(&secret, &self.password).expect("a file");
        self.programs.give(&secret);
        let mut command = self.programs.command("initdb");
        command.args(["--no-sync", "--auth=password", "--encoding=UTF8", "--locale=C.UTF-8", "-U"]);
        command.arg(USER).arg("--pwfile").arg(&secret).arg("-D").arg(self.data());
        if self.programs.version() >= 15 {
            // Text sorts as in most companies, so that what relies on another order is found.
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

    /// Adds to the settings that hold from the next start on.
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

    /// The first process of the server, while it runs.
    fn process(&self) -> Option<u32> {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let process = file.lines().next()?.parse().ok()?;
        lives(process).then_some(process)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
}

/// The script does it: it also waits for the end and removes what is left.
impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = self.process() {
            // What is frozen cannot end.
            for each in children(process).into_iter().chain([process]) {
                signal(each, Signal::CONT);
            }
            signal(process, Signal::QUIT);
        }
        drop(fs::remove_dir_all(self.folder.join("users")));
    }
}

/// Runs a program whose children stay, without waiting for what they write.
fn quietly(command: &mut Command) -> bool {
    use std::process::Stdio;

    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
