//! A cluster of PostgreSQL as one would run it, and pgbench.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use patrol_test_servers::postgres::{Durability, Server, Stop, execute, query};

use super::{load::Answered, machine, store};

/// The most memory that it shares, in MB; else a quarter of the machine's.
const MOST_SHARED: u64 = 1024;

/// Clients of pgbench: as many as wrk has connections.
const CLIENTS: [&str; 4] = ["-c", "64", "-j", "2"];

/// It takes part of its time to connect, which does not count.
const LEAST_SECONDS: u64 = 3;

/// What is stated of the settings.
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

/// A cluster of the bench's own. It ends when it is dropped.
#[derive(Debug)]
pub struct Cluster(Server);

impl Cluster {
    /// Starts one. What is committed is on the disk before the client is told; the rest are the
    /// defaults, but for the memory: shared buffers, and a log that is not at its end all the time.
    ///
    /// # Panics
    /// When there is no PostgreSQL.
    #[must_use]
    pub fn start() -> Self {
        let server = Server::start(Durability::Kept);
        let memory = machine::total_memory();
        let shared = (memory / 4).min(MOST_SHARED);
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

    /// A new database without tables; its URL.
    ///
    /// # Panics
    /// When the cluster is not there.
    #[must_use]
    pub fn create(&self, database: &str) -> String {
        execute(&self.0.url("postgres"), &format!("CREATE DATABASE {database}"));
        self.url(database)
    }

    /// The URL of a database, for somebody who may do everything.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.0.url(database)
    }

    /// The settings that matter, for the report.
    ///
    /// # Panics
    /// When the cluster is not there.
    #[must_use]
    pub fn settings(&self) -> String {
        let told = STATED.map(|name| {
            let value = query(&self.0.url("postgres"), &format!("SHOW {name}"));
            format!("{name} {}", value.first().map_or("unknown", String::as_str))
        });
        told.join(", ")
    }
}

/// Runs a script with prepared statements from 64 clients. Nobody takes the latencies.
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
        .arg(format!("-T{}", seconds.max(LEAST_SECONDS)))
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

/// What pgbench is, for the report.
#[must_use]
pub fn pgbench_version() -> String {
    machine::says(Command::new(program()).arg("--version"))
}

/// The program of the newest server, else the one in `PATH`.
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
