//! `make bench`: measures the speed and memory of Patrol, each compared with something that readers
//! know. `docs/performance.md` describes the measurements.
//!
//! `BENCH_EXECUTIONS` sets the size of the stores, `BENCH_GROWTH` the sizes for the growth,
//! `BENCH_ONLY` the sections (`sqlite`, `postgres`, `growth`), `BENCH_PARTS` parts of a store's section
//! ([`measure`] names them); `BENCH_QUICK=1` makes all small and the rounds short, to test the benchmark
//! itself. `data-set NUMBER` only prints a data set with this number of executions.
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
mod measure;
mod postgres;
mod sqlite;
mod subject;

use std::{env, io};

use measure::{growth::Growth, rates::Rates};
use patrol_tests::bench::{
    company, load,
    plan::Plan,
    postgres::{Cluster, pgbench_version},
    report::Report,
};
use subject::{Kind, Subject};

/// The same allocator as the program, so that the bare handler is comparable.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The name of the part about growth.
const GROWTH: &str = "growth";

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some([address, record, page]) = bare::arguments(&arguments) {
        return bare::serve(address, record, page);
    }
    if let [command, executions] = &arguments[..]
        && command == "data-set"
    {
        let executions = executions.parse().expect("data-set NUMBER");
        let mut out = io::BufWriter::with_capacity(1 << 20, io::stdout().lock());
        return company::write(executions, &mut out).expect("the data set is written");
    }
    load::require_wrk();
    let plan = Plan::from_environment();
    let mut report = Report::new("report.md", "Performance of Patrol", "make bench", &plan);
    let cluster = start_cluster(&plan, &mut report);
    let kinds = [Some(Kind::Sqlite), cluster.as_ref().map(Kind::Postgres)];
    let (mut rates, mut growth) = (Rates::default(), Growth::new(&plan));
    for kind in kinds.into_iter().flatten() {
        measure(&plan, kind, &mut report, &mut rates, &mut growth);
    }
    growth.notes().iter().for_each(|note| report.note(note));
    let tables = [rates.table(), growth.table()].into_iter().flatten();
    for table in tables.chain(growth.matrices()) {
        report.add(table);
    }
    report.finish();
}

fn start_cluster(plan: &Plan, report: &mut Report) -> Option<Cluster> {
    report.note(format!("SQLite {}, with the settings of the program", sqlite::version()));
    let is_wanted = plan.wants(Kind::POSTGRES) || plan.wants(GROWTH);
    let cluster = is_wanted.then(Cluster::start)?;
    report.note(format!("PostgreSQL: {}", cluster.settings()));
    report.note(format!("{}, 64 clients, 2 threads, prepared statements", pgbench_version()));
    Some(cluster)
}

/// Runs all selected measurements for one kind of store.
fn measure(
    plan: &Plan,
    kind: Kind<'_>,
    report: &mut Report,
    rates: &mut Rates,
    growth: &mut Growth,
) {
    let (is_wanted, is_growing) = (plan.wants(kind.name()), plan.wants(GROWTH));
    if !is_wanted && !is_growing {
        return;
    }
    let subject = Subject::fill(plan, kind, plan.executions);
    if is_growing {
        // First, because later measurements change the tables.
        growth.measure(&subject);
    }
    if is_wanted {
        report.add(measure::all(&subject, rates, &growth.slowest()));
        report.note(measure::state(&subject));
    }
}
