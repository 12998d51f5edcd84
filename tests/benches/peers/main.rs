//! `make bench-peers`: compares Patrol with alternatives, on the same machine, with the same data,
//! in the same run. `docs/performance.md` describes the method and the differences.
//!
//! `BENCH_EXECUTIONS` sets the size of the stores; `BENCH_QUICK=1` makes them small and the rounds
//! short, to test the benchmark itself; `BENCH_ONLY` lists the peers to measure.
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

mod group;
mod install;
mod languages;
mod lists;
mod peer;
mod reply;
mod rounds;
mod subject;
mod tables;

use std::{fs, process::Command, thread};

use patrol_tests::{
    bench::{load, machine, plan::Plan, postgres::Cluster, report::Report, store::Store},
    program,
};
use peer::Site;
use subject::{Listed, Over, Record, Subject};

fn main() {
    load::require_wrk();
    let plan = Plan::from_environment();
    let title = "Patrol beside others";
    let mut report = Report::new("peers.md", title, "make bench-peers", &plan);
    let cluster = Cluster::start();
    let (postgres, _) = Store::postgres(&cluster, plan.executions);
    let (sqlite, _) = Store::sqlite(plan.executions);
    report.note(format!("PostgreSQL, the same for all that use it: {}", cluster.settings()));
    report.note(format!("each list of the matrix: {}", rounds::described()));

    let version = machine::says(Command::new(program()).arg("--version"));
    let patrol = |over, store| Subject::patrol(over, store, version.clone());
    let mut subjects = vec![patrol(Over::Postgres, &postgres), patrol(Over::Sqlite, &sqlite)];
    let of_stores = subjects.iter().map(|subject| answers(subject).expect("Patrol answers"));
    let of_stores: Vec<_> = of_stores.collect();
    assert_eq!(of_stores[0], of_stores[1], "both stores hold the same");
    let (record, expected) = &of_stores[0];
    let cores = thread::available_parallelism().expect("the number of cores");
    let site = Site {
        executions: plan.executions,
        url: postgres.url().to_owned(),
        processes: cores.to_string(),
    };
    let mut failures = Vec::new();
    for (name, start) in peer::ALL.into_iter().filter(|(name, _)| plan.wants(&name.to_lowercase()))
    {
        eprintln!("\n{name}");
        match start(&site).and_then(|peer| agrees(peer, record, &expected[0])) {
            Ok(peer) => subjects.push(peer),
            Err(reason) => failures.push((name.to_owned(), reason)),
        }
    }
    let measured = rounds::measure(subjects, expected, &postgres, &plan, &mut failures);
    for (name, reason) in failures {
        eprintln!("{name} was not measured: {reason}");
        report.note(format!("**{name} was not measured**: {reason}"));
    }
    report.add(tables::goals(&measured));
    report.add(tables::lists(&measured));
    report.add(tables::rates(&measured));
    report.add(tables::figures(&measured));
    report.finish();
    // Removed now, because they are as large as Patrol's store.
    drop(measured);
    for (peer, data) in [("pocketbase", "data"), ("trailbase", "data"), ("trailbase", "data-open")]
    {
        drop(fs::remove_dir_all(install::folder(peer).join(data)));
    }
}

/// The content of a server's responses for a record and for all lists.
fn answers(subject: &Subject) -> Result<(Record, Vec<Listed>), String> {
    let lists = lists::ALL.iter().map(|list| {
        subject.listed(list).unwrap_or_else(|| Err(format!("it has no list of {}", list.what)))
    });
    Ok((subject.record()?, lists.collect::<Result<_, _>>()?))
}

/// Checks that a peer gives the same record and the same first list as Patrol; otherwise it is not
/// measured.
fn agrees(peer: Subject, record: &Record, list: &Listed) -> Result<Subject, String> {
    let found = peer.record()?;
    if found != *record {
        return Err(format!("it answers {found:?} where Patrol answers {record:?}"));
    }
    peer.agrees(&lists::ALL[0], list).ok_or("it cannot be asked for the first list")??;
    Ok(peer)
}
