//! `make chaos`: checks the guarantees of `docs/reliability.md` while nodes die and databases fail,
//! also on several nodes.
//!
//! Clients write all the time, each to its own records, and keep a journal of acknowledged writes.
//! At the end of each scenario every entry is checked. `CHAOS_QUICK=1` runs few rounds;
//! `CHAOS_ONLY=kill-sqlite,rolling` runs only these scenarios. The exit code is 1 when a guarantee
//! was broken.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "the harness reports by panicking, prints, and looks at the clock of the machine"
)]

mod cleanup;
mod client;
mod guard;
mod journal;
mod load;
mod plan;
mod proxy;
mod report;
mod scenario;
mod service;
mod site;
mod verify;
mod walk;
mod watch;
mod worker;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use cleanup::Cleanup;
use patrol_tests::bench::machine;
use plan::Plan;
use report::{Finding, Report};

/// A scenario, and its name for `CHAOS_ONLY`.
type Scenario = (&'static str, fn(&Cleanup, &Plan) -> Finding);

const SCENARIOS: [Scenario; 10] = [
    ("kill-sqlite", scenario::kill::sqlite),
    ("kill-postgres", scenario::kill::postgres),
    ("restart", scenario::restart::immediate),
    ("gone", scenario::silence::gone),
    ("hang", scenario::silence::hang),
    ("refuse", scenario::silence::refuse),
    ("fail-over", scenario::fail_over::of_a_dead_primary),
    ("switch-over", scenario::fail_over::of_a_primary_turned_read_only),
    ("rolling", scenario::rolling::restart),
    ("nodes", scenario::nodes::agree),
];

fn main() -> ExitCode {
    let plan = Plan::from_environment();
    if plan.wants("rolling") {
        proxy::require();
    }
    let cleanup = Cleanup::new();
    let mut report = Report::new(&plan);
    for (name, run) in SCENARIOS {
        if plan.wants(name) {
            report.add(run(&cleanup, &plan));
        }
    }
    drop(cleanup);
    let markdown = report.markdown();
    let file = file();
    fs::write(&file, &markdown).expect("the report is written");
    println!("\n{}\n{markdown}\nwritten to {}", report.text(), file.display());
    if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `target/chaos/report.md`.
fn file() -> PathBuf {
    let this = env::current_exe().expect("this program has a path");
    let target = this.ancestors().nth(3).map(Path::to_path_buf);
    let directory = target.expect("target/PROFILE/deps").join("chaos");
    fs::create_dir_all(&directory).expect("a directory for the report");
    directory.join("report.md")
}
