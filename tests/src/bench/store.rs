//! A store of Patrol with the data set.

use std::{
    env,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use patrol_test_servers::postgres::{execute, query};

use super::{
    company, machine,
    postgres::Cluster,
    process::{self, Process},
};
use crate::{Api, execution_id, program};

/// The number of ids for the load generator: far more records than fit into a cache of 16 MB.
pub const PICKED: u32 = 20_000;

/// A store with executions in its own folder below `target/bench`. Dropping it removes the folder,
/// unless something has failed.
#[derive(Debug)]
pub struct Store {
    url: String,
    executions: u32,
    token: String,
    folder: PathBuf,
}

/// The figures of an import.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// Executions per second.
    pub rate: f64,
    /// The peak memory of the import, in MB.
    pub peak: f64,
    /// The size of the store on disk, in MB.
    pub size: f64,
}

impl Store {
    /// Creates a SQLite file with executions.
    ///
    /// # Panics
    /// When the program fails.
    #[must_use]
    pub fn sqlite(executions: u32) -> (Self, Import) {
        let folder = fresh(&format!("sqlite-{executions}"));
        let file = folder.join("patrol.db");
        let (store, import) = Self::fill(format!("sqlite:{}", file.display()), folder, executions);
        let size = fs::metadata(file).expect("the database").len() as f64 / 1e6;
        (store, Import { size, ..import })
    }

    /// Creates a PostgreSQL database with executions, then runs VACUUM ANALYZE, which autovacuum
    /// would do some minutes after an import.
    ///
    /// # Panics
    /// When the program or the cluster fails.
    #[must_use]
    pub fn postgres(cluster: &Cluster, executions: u32) -> (Self, Import) {
        let folder = fresh(&format!("postgres-{executions}"));
        let url = cluster.create(&format!("patrol_{executions}"));
        let (store, import) = Self::fill(url, folder, executions);
        execute(&store.url, "VACUUM ANALYZE");
        execute(&store.url, "CHECKPOINT");
        let size = query(&store.url, "SELECT pg_database_size(current_database())");
        let size = size.first().and_then(|size| size.parse::<f64>().ok()).expect("a size") / 1e6;
        (store, Import { size, ..import })
    }

    fn fill(url: String, folder: PathBuf, executions: u32) -> (Self, Import) {
        let mut store = Self { url, executions, token: String::new(), folder };
        let import = store.import();
        store.write_ids(&store.completed(), company::is_completed);
        store.write_ids(&store.pending(), company::is_pending);
        store.token = store.token_of(company::ADMIN);
        (store, import)
    }

    /// A new token of a user, named by id or employee number.
    ///
    /// # Panics
    /// When the program fails.
    #[must_use]
    pub fn token_of(&self, user: &str) -> String {
        let mut create = self.patrol(&["token", "create", "--name", "bench", "--user"]);
        let created = create.arg(user).output().expect("the program starts");
        assert!(created.status.success(), "{created:?}");
        String::from_utf8(created.stdout).expect("a token").trim_end().to_owned()
    }

    /// A path in the store's folder.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The value of `PATROL_DATABASE_URL` for this store.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The administrator's token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The number of executions.
    #[must_use]
    pub const fn executions(&self) -> u32 {
        self.executions
    }

    /// A file with ids of completed executions from the whole store, one per line.
    #[must_use]
    pub fn completed(&self) -> PathBuf {
        self.file("completed.txt")
    }

    /// A file with ids of planned executions, one per line.
    #[must_use]
    pub fn pending(&self) -> PathBuf {
        self.file("pending.txt")
    }

    /// A command of the program on the store.
    #[must_use]
    pub fn patrol(&self, arguments: &[&str]) -> Command {
        let mut command = program::command();
        command.args(arguments).current_dir(&self.folder).env("PATROL_DATABASE_URL", &self.url);
        command
    }

    /// Starts a server on the store, and returns it after its first response, with the time that
    /// took. It logs with the default settings, into a file.
    ///
    /// # Panics
    /// When it does not answer.
    #[must_use]
    pub fn serve(&self) -> (Process, Duration) {
        let address = process::free_address();
        let log = File::create(self.file("server.log")).expect("a file for the log");
        let mut command = self.patrol(&["serve"]);
        command.env("PATROL_LISTEN", &address).stderr(log);
        Process::start(command, address, &record_path(), &self.token)
    }

    /// The administrator's client.
    #[must_use]
    pub fn api(&self, server: &Process) -> Api {
        Api::new(server.address()).with_token(&self.token)
    }

    fn import(&self) -> Import {
        let executions = self.executions;
        eprintln!("importing {executions} executions into {}", self.folder.display());
        let migrated = self.patrol(&["migrate"]).output().expect("the program starts");
        assert!(migrated.status.success(), "{migrated:?}");
        let start = Instant::now();
        let mut import = self.patrol(&["import", "-"]);
        let mut import = import.stdin(Stdio::piped()).spawn().expect("the program starts");
        let mut pipe = BufWriter::with_capacity(1 << 20, import.stdin.take().expect("a pipe"));
        let writer = thread::spawn(move || {
            company::write(executions, &mut pipe).and_then(|()| pipe.flush())
        });
        // The memory cannot be read after the process has ended.
        let mut peak = 0.0;
        let status = loop {
            peak = machine::memory(import.id(), "VmHWM").unwrap_or(peak);
            if let Some(status) = import.try_wait().expect("the program can be waited for") {
                break status;
            }
            thread::sleep(Duration::from_millis(5));
        };
        let took = start.elapsed().as_secs_f64();
        assert!(status.success(), "the import failed");
        writer.join().expect("the writer does not panic").expect("all is written");
        Import { rate: f64::from(executions) / took, peak, size: f64::NAN }
    }

    fn write_ids(&self, file: &Path, is_wanted: fn(u32) -> bool) {
        let step = step(self.executions);
        // A step that divides the pattern of the data set would always hit the same kind of
        // execution.
        let picked = (0..self.executions / step).map(|at| at * step + at % step);
        let ids: Vec<_> = picked.filter(|n| is_wanted(*n)).map(execution_id).collect();
        assert!(!ids.is_empty(), "{} is empty", file.display());
        fs::write(file, ids.join("\n")).expect("the ids are written");
    }
}

/// The distance between the executions that the load generator uses.
#[must_use]
pub fn step(executions: u32) -> u32 {
    (executions / PICKED).max(1)
}

/// The path of an execution like those that are read.
#[must_use]
pub fn record_path() -> String {
    format!("/v1/task-executions/{}", execution_id(company::COMPLETED))
}

/// `target/bench`.
///
/// # Panics
/// When it cannot be created.
#[must_use]
pub fn directory() -> PathBuf {
    let this = env::current_exe().expect("this bench has a path");
    let target = this.ancestors().nth(3).map(Path::to_path_buf);
    let directory = target.expect("target/PROFILE/deps").join("bench");
    fs::create_dir_all(&directory).expect("a directory for the bench");
    directory
}

/// An empty folder below it.
fn fresh(name: &str) -> PathBuf {
    let folder = directory().join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder of the store");
    folder
}

impl Drop for Store {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(fs::remove_dir_all(&self.folder));
        }
    }
}
