//! The tables of the report.

use patrol_tests::bench::{
    load::Answered,
    report::{Goals, Row, Table},
    svg::{self, Bar},
};

use crate::{
    lists,
    rounds::Measured,
    subject::{Expected, Over},
};

/// How many times as fast as the best peer Patrol should list.
const LIST_GOAL: f64 = 5.0;

/// The goals: how many times as fast Patrol is, each time on the store that the peer uses.
pub(crate) fn goals(measured: &[Measured]) -> Table {
    let mut goals = Goals::new("peers-goals", "How many times as fast Patrol is");
    for (peer, patrol, goal) in pairs(measured) {
        let row = row("read by id", patrol, peer, [patrol.records, peer.records]);
        goals.add(row.at_least(patrol.records.rate / peer.records.rate, goal.record));
    }
    for (peer, patrol, goal) in pairs(measured) {
        let row =
            row("list of 50 with filter and exact count", patrol, peer, [patrol.list, peer.list]);
        let ratio = patrol.list.rate / peer.list.rate;
        goals.add(goal.list.into_iter().fold(row, |row, goal| row.at_least(ratio, goal)));
    }
    goals.table()
}

/// How many times as fast as the best peer on the same store Patrol answers each list.
pub(crate) fn lists(measured: &[Measured]) -> Table {
    let title = "Each list, beside the best of the peers on the same store";
    let mut goals = Goals::new("peers-lists", title);
    for over in [Over::Sqlite, Over::Postgres] {
        for (at, list) in lists::ALL.iter().enumerate() {
            let answered = pairs(measured).filter(|(peer, ..)| peer.subject.over == over);
            let answered = answered.filter_map(|(peer, patrol, _)| {
                Some((peer, patrol, [patrol.lists[at]?, peer.lists[at]?]))
            });
            let best = answered.max_by(|one, other| one.2[1].rate.total_cmp(&other.2[1].rate));
            let Some((peer, patrol, [ours, theirs])) = best else { continue };
            let row = row(list.what, patrol, peer, [ours, theirs]);
            goals.add(row.at_least(ours.rate / theirs.rate, LIST_GOAL));
        }
    }
    goals.table()
}

/// The rates of all servers for each list, with a chart of the mean of each server.
pub(crate) fn rates(measured: &[Measured]) -> Table {
    let title = "Answers a second for each list";
    let cell = |of: &Measured, at: usize| {
        of.lists[at].map_or_else(|| "–".to_owned(), |answered| format!("{:.0}", answered.rate))
    };
    let line = |at: usize| {
        let cells = measured.iter().map(|of| cell(of, at));
        [lists::ALL[at].what.to_owned()].into_iter().chain(cells).collect()
    };
    // The geometric mean of the lists that all servers answered: each list counts the same,
    // whatever it costs.
    let is_common = |at: &usize| measured.iter().all(|of| of.lists[*at].is_some());
    let common: Vec<usize> = (0..lists::ALL.len()).filter(is_common).collect();
    let bar = |of: &Measured| {
        let answered = common.iter().filter_map(|at| of.lists[*at]);
        let rates: Vec<f64> = answered.map(|answered| answered.rate.ln()).collect();
        let mean = (rates.iter().sum::<f64>() / rates.len().max(1) as f64).exp();
        let text = format!("{mean:.0}/s, {} lists", rates.len());
        Bar { label: of.subject.title(), value: mean, text }
    };
    let titles = measured.iter().map(|of| of.subject.title());
    Table {
        name: "peers-rates".to_owned(),
        title: title.to_owned(),
        head: ["list of 50 with exact count".to_owned()].into_iter().chain(titles).collect(),
        lines: (0..lists::ALL.len()).map(line).collect(),
        picture: svg::bars(
            "Lists a second, geometric mean of the lists that all answered",
            "answers a second",
            &measured.iter().map(bar).collect::<Vec<_>>(),
        ),
    }
}

/// Each peer with the Patrol to compare, and the goals.
fn pairs(measured: &[Measured]) -> impl Iterator<Item = (&Measured, &Measured, Expected)> {
    measured.iter().filter_map(move |peer| {
        let goals = peer.subject.goals?;
        let is_ours =
            |of: &&Measured| of.subject.goals.is_none() && of.subject.over == peer.subject.over;
        Some((peer, measured.iter().find(is_ours)?, goals))
    })
}

fn row(what: &str, patrol: &Measured, peer: &Measured, [ours, theirs]: [Answered; 2]) -> Row {
    Row::new(format!("{what}, {}", patrol.subject.title()), format!("{:.0}/s", ours.rate))
        .against(format!("{} {:.0}/s", peer.subject.name, theirs.rate), ours.rate / theirs.rate)
}

/// All figures, with a chart of the reads.
pub(crate) fn figures(measured: &[Measured]) -> Table {
    let head = [
        "server",
        "version",
        "read by id, /s",
        "p50 / p99, ms",
        "list of 50, /s",
        "p50 / p99, ms",
        "memory, MB",
    ];
    let latencies = |of: Answered| format!("{:.1} / {:.1}", of.p50, of.p99);
    let line = |of: &Measured| {
        vec![
            of.subject.title(),
            of.subject.version.clone(),
            format!("{:.0}", of.records.rate),
            latencies(of.records),
            format!("{:.0}", of.list.rate),
            latencies(of.list),
            format!("{:.0}", of.memory),
        ]
    };
    let bar = |of: &Measured| Bar {
        label: of.subject.title(),
        value: of.records.rate,
        text: format!("{:.0}/s", of.records.rate),
    };
    let bars: Vec<_> = measured.iter().map(bar).collect();
    let title = "Read by id, random, 64 connections";
    Table {
        name: "peers".to_owned(),
        title: "All figures".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        lines: measured.iter().map(line).collect(),
        picture: svg::bars(title, "answers a second", &bars),
    }
}
