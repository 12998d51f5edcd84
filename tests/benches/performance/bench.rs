//! The store that is measured, and what is needed to talk to its server.

use std::{
    env,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::{Api, execution_id, program};

use crate::{
    bare, company, machine,
    process::{self, Process},
    report::{Report, Row},
};

/// How much is measured.
pub(crate) struct Plan {
    /// Executions in the store.
    pub(crate) executions: u32,
    /// Rounds of each measurement.
    pub(crate) rounds: usize,
    /// Seconds of a round.
    pub(crate) seconds: u64,
    /// Whether this is only a try.
    pub(crate) quick: bool,
}

impl Plan {
    pub(crate) fn from_environment() -> Self {
        let quick = env::var_os("BENCH_QUICK").is_some_and(|value| value != "0");
        let usual = if quick { 5_000 } else { 200_000 };
        let executions = env::var("BENCH_EXECUTIONS")
            .map_or(usual, |number| number.parse().expect("BENCH_EXECUTIONS is a number"));
        assert!(executions >= 1_000, "BENCH_EXECUTIONS has to be at least 1000");
        let (rounds, seconds) = if quick { (3, 1) } else { (5, 3) };
        Self { executions, rounds, seconds, quick }
    }
}

/// What all measurements share.
pub(crate) struct Bench {
    pub(crate) plan: Plan,
    /// The administrator's.
    pub(crate) token: String,
    directory: PathBuf,
}

/// How many ids the load generator picks from: far more than a cache of 16 MB holds records.
const PICKED: u32 = 20_000;

impl Bench {
    /// Builds the store, and reports what that took.
    pub(crate) fn prepare(plan: Plan, report: &mut Report) -> Self {
        let directory = directory();
        drop(fs::remove_dir_all(&directory));
        fs::create_dir_all(&directory).expect("a directory for the bench");
        let mut bench = Self { plan, token: String::new(), directory };
        bench.import(report);
        bench.write_ids("completed.txt", company::is_completed);
        bench.write_ids("pending.txt", company::is_pending);
        let mut create = bench.patrol(&["token", "create", "--name", "bench", "--user"]);
        let created = create.arg(company::ADMIN).output().expect("the program starts");
        assert!(created.status.success(), "{created:?}");
        bench.token = String::from_utf8(created.stdout).expect("a token").trim_end().to_owned();
        bench
    }

    /// A path in the bench's directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The file of the database.
    pub(crate) fn database(&self) -> PathBuf {
        self.file("patrol.db")
    }

    /// A command of the program on the store.
    pub(crate) fn patrol(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("PATROL_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(&self.directory)
            .env("PATROL_DATABASE_URL", format!("sqlite:{}", self.database().display()));
        command
    }

    /// A new server on the store that has given its first answer, and how long that took. It logs
    /// as it does by default, into a file.
    pub(crate) fn serve(&self) -> (Process, Duration) {
        let address = process::free_address();
        let log = File::create(self.file("server.log")).expect("a file for the log");
        let mut command = self.patrol(&["serve"]);
        command.env("PATROL_LISTEN", &address).stderr(log);
        Process::start(command, address, &format!("/v1{}", record_path()), &self.token)
    }

    /// The bare handler, which answers with what the server answers.
    pub(crate) fn serve_bare(&self, server: &Process, page: &str) -> Process {
        let api = self.api(server);
        for (name, path) in [("record.json", &*record_path()), ("page.json", page)] {
            let answer = api.get(path);
            assert_eq!(answer.status, 200, "{}", answer.text());
            fs::write(self.file(name), answer.body).expect("an answer is written");
        }
        let address = process::free_address();
        let mut command = Command::new(env::current_exe().expect("this bench has a path"));
        command.args([bare::BARE, &address]);
        command.args([self.file("record.json"), self.file("page.json")]);
        Process::start(command, address, &format!("/v1{}", record_path()), &self.token).0
    }

    /// The administrator's client.
    pub(crate) fn api(&self, server: &Process) -> Api {
        Api::new(server.address()).with_token(&self.token)
    }

    fn import(&self, report: &mut Report) {
        let executions = self.plan.executions;
        eprintln!("importing {executions} executions");
        let start = Instant::now();
        let mut import = self.patrol(&["import", "-"]);
        let mut import = import.stdin(Stdio::piped()).spawn().expect("the program starts");
        let mut pipe = BufWriter::with_capacity(1 << 20, import.stdin.take().expect("a pipe"));
        let writer = thread::spawn(move || {
            company::write(executions, &mut pipe).and_then(|()| pipe.flush())
        });
        // It cannot be asked any more once it has ended.
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
        let rate = f64::from(executions) / took;
        report.add(Row::new("import, executions/s", format!("{rate:.0}")).at_least(rate, 20_000.0));
        report.add(
            Row::new("import, peak memory", format!("{peak:.0} MB")).at_most(peak, 256.0, "MB"),
        );
        let size = fs::metadata(self.database()).expect("the database").len() as f64 / 1e6;
        report.note(format!("store of {executions} executions: {size:.0} MB"));
    }

    fn write_ids(&self, name: &str, is_wanted: fn(u32) -> bool) {
        let executions = self.plan.executions;
        let step = (executions / PICKED).max(1);
        // A step that divides the pattern of the data set would meet the same kind all the time.
        let picked = (0..executions / step).map(|at| at * step + at % step);
        let ids: Vec<_> = picked.filter(|n| is_wanted(*n)).map(execution_id).collect();
        assert!(!ids.is_empty(), "{name} is empty");
        fs::write(self.file(name), ids.join("\n")).expect("the ids are written");
    }
}

/// An execution like those that are read, below `/v1`.
pub(crate) fn record_path() -> String {
    format!("/task-executions/{}", execution_id(company::COMPLETED))
}

/// `target/bench`.
fn directory() -> PathBuf {
    let this = env::current_exe().expect("this bench has a path");
    let target = this.ancestors().nth(3).map(Path::to_path_buf);
    target.expect("target/PROFILE/deps").join("bench")
}
