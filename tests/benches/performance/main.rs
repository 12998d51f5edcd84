//! `make bench`: how fast Patrol is and how much memory it takes, each time next to something that
//! a reader knows. `docs/performance.md` says what is measured and why.
//!
//! `BENCH_EXECUTIONS` sets the size of the store, `BENCH_QUICK=1` makes it small and the rounds
//! short, to try the bench itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::as_conversions,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a bench reports by panicking, prints, and looks at the clock of the machine"
)]

mod bare;
mod bench;
mod company;
mod database;
mod load;
mod machine;
mod measure;
mod process;
mod report;

use std::{env, fs};

use bench::Bench;
use report::Report;

/// What it takes from its surroundings: an allocator like the program's, for the bare handler.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some([address, record, page]) = bare::arguments(&arguments) {
        return bare::serve(address, record, page);
    }
    load::require_wrk();
    let plan = bench::Plan::from_environment();
    let mut report = Report::new(&plan);
    let bench = Bench::prepare(plan, &mut report);
    measure::start::measure(&bench, &mut report);
    measure::reads::measure(&bench, &mut report);
    measure::pages::measure(&bench, &mut report);
    measure::whole_list::measure(&bench, &mut report);
    measure::counts::measure(&bench, &mut report);
    measure::writes::measure(&bench, &mut report);
    let markdown = report.markdown();
    let file = bench.file("report.md");
    fs::write(&file, &markdown).expect("the report is written");
    println!("\n{markdown}\nwritten to {}", file.display());
}
