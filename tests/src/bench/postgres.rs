//! A PostgreSQL cluster with production settings, and pgbench.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use patrol_test_servers::postgres::{Durability, Server, Stop, execute, query};

use super::{load::Answered, machine, store};

/// The most shared memory, in MB; less on machines where this is more than a quarter.
const MAX_SHARED: u64 = 1024;

/// The clients of pgbench: as many as the connections of wrk.
const CLIENTS: [&str; 4] = ["-c", "64", "-j", "2"];

/// The least seconds of a run, because connecting takes part of the time.
const MIN_SECONDS: u64 = 3;

/// The settings that the report shows.
const STATED: [&str; 10] = [
    "server_version",
    "shared_buffers",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "max_wal_size",
    "work_mem",
    "effective_cache_size",
    "random_page_cost",
    "max_parallel_workers_per_gather",
];

/// A cluster for the benchmark. It is stopped when dropped.
#[derive(Debug)]
pub struct Cluster(Server);

impl Cluster {
    /// Starts a cluster. Commits are durable. The other settings are the defaults, except for the
    /// memory: shared buffers, and a larger log.
    ///
    /// # Panics
    /// When there is no PostgreSQL.
    #[must_use]
    pub fn start() -> Self {
        let server = Server::start(Durability::Kept);
        let memory = machine::total_memory();
        let shared = (memory / 4).min(MAX_SHARED);
        for (name, value) in [
            ("shared_buffers", format!("{shared}MB")),
            ("effective_cache_size", format!("{}MB", memory / 2)),
            ("max_wal_size", "4GB".to_owned()),
        ] {
            execute(&server.url("postgres"), &format!("ALTER SYSTEM SET {name} = '{value}'"));
        }
        server.stop(Stop::Fast);
        server.resume_service();
        Self(server)
    }

    /// Creates a database without tables and returns its URL.
    ///
    /// # Panics
    /// When the cluster does not answer.
    #[must_use]
    pub fn create(&self, database: &str) -> String {
        execute(&self.0.url("postgres"), &format!("CREATE DATABASE {database}"));
        self.url(database)
    }

    /// Restarts the cluster with nothing in its memory and nothing of its data in the page cache.
    ///
    /// # Panics
    /// When it does not stop or start, or its files cannot be read.
    pub fn restart_cold(&self) {
        self.0.stop(Stop::Fast);
        evict_all(&self.0.data());
        self.0.resume_service();
    }

    /// The URL of a database, for a superuser.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.0.url(database)
    }

    /// The relevant settings, for the report.
    ///
    /// # Panics
    /// When the cluster does not answer.
    #[must_use]
    pub fn settings(&self) -> String {
        let told = STATED.map(|name| {
            let value = query(&self.0.url("postgres"), &format!("SHOW {name}"));
            format!("{name} {}", value.first().map_or("unknown", String::as_str))
        });
        told.join(", ")
    }
}

/// Removes all files below a folder from the page cache.
fn evict_all(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder of the cluster") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            evict_all(&path);
        } else {
            machine::evict(&path);
        }
    }
}

/// Runs a script with prepared statements from 64 clients. Latencies are not measured.
///
/// # Panics
/// When pgbench is missing, or a statement fails.
#[must_use]
pub fn pgbench(url: &str, script: &str, seconds: u64) -> Answered {
    let file = store::directory().join("pgbench.sql");
    fs::write(&file, script).expect("the script is written");
    let output = Command::new(program())
        .args(["--no-vacuum", "-M", "prepared"])
        .args(CLIENTS)
        .arg(format!("-T{}", seconds.max(MIN_SECONDS)))
        .arg("-f")
        .args([&file, Path::new(url)])
        .stdin(Stdio::null())
        .output()
        .expect("pgbench runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
    let rate = rate.and_then(|rate| rate.parse().ok()).filter(|_| output.status.success());
    Answered::at(rate.unwrap_or_else(|| panic!("pgbench fails: {output:?}")))
}

/// The version of pgbench, for the report.
#[must_use]
pub fn pgbench_version() -> String {
    machine::says(Command::new(program()).arg("--version"))
}

/// The pgbench of the newest server, else the one in `PATH`.
fn program() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let newest = versions
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let version: u32 = folder.file_name()?.to_str()?.parse().ok()?;
            let program = folder.join("bin/pgbench");
            program.is_file().then_some((version, program))
        })
        .max();
    let in_path = || {
        let path = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&path).map(|folder| folder.join("pgbench")).find(|file| file.is_file())
    };
    newest.map(|(_, program)| program).or_else(in_path).expect(
        "pgbench, which comes with the server of PostgreSQL (Debian: apt install postgresql)",
    )
}
