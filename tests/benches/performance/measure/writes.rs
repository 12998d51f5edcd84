//! Changes from many clients at once.

use std::{fs, time::Duration};

use crate::{
    bench::Bench,
    database::{self, Change},
    load::{self, Answered, Requests},
    report::{Report, Row},
};

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    let (server, _) = bench.serve();
    let mut database = database::connect(&bench.database());
    let ids = ids(bench);
    let time = Duration::from_secs(bench.plan.seconds);
    let kinds = [
        ("of the description", Requests::Descriptions, Change::Description),
        ("of the times", Requests::Moves, Change::Times),
    ];
    for (name, requests, change) in kinds {
        let [ours, theirs] = load::in_turn(
            bench.plan.rounds,
            || load::round(bench, server.address(), requests),
            || {
                let rate = database::changes(&mut database, &ids, change, time);
                // Nobody waits beside it: only the rate is compared.
                Answered { rate, p50: f64::NAN, p99: f64::NAN }
            },
        );
        let ratio = ours.rate / theirs.rate;
        report.add(
            Row::new(format!("PATCH {name}, 64 clients, durable"), format!("{:.0}/s", ours.rate))
                .against(format!("one transaction a write {:.0}/s", theirs.rate), ratio)
                .at_least(ratio, 5.0),
        );
        report.add(
            Row::new(
                format!("PATCH {name}, p50 / p99"),
                format!("{:.2} / {:.2} ms", ours.p50, ours.p99),
            )
            .at_most(ours.p99, 20.0, "ms"),
        );
    }
    let wal = fs::metadata(bench.file("patrol.db-wal")).expect("the log of a running server");
    report.note(format!("write-ahead log after the writes: {:.0} MB", wal.len() as f64 / 1e6));
}

/// The ids of the planned executions, as the store has them.
fn ids(bench: &Bench) -> Vec<Vec<u8>> {
    let ids = fs::read_to_string(bench.file("pending.txt")).expect("the ids");
    let bytes = |id: &str| {
        let digits: Vec<char> = id.chars().filter(|c| *c != '-').collect();
        let bytes = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("digits"));
        bytes.collect()
    };
    ids.lines().map(bytes).collect()
}
