//! The tables of the report.

use patrol_tests::bench::{
    load::Answered,
    report::{Goals, Row, Table},
    svg::{self, Bar},
};

use crate::rounds::Measured;

/// How many times as fast as the best peer Patrol should list.
const LIST_GOAL: f64 = 5.0;

/// The goals: how many times as fast Patrol is, each time on the store that the peer uses.
pub(crate) fn goals(measured: &[Measured]) -> Table {
    let mut goals = Goals::new("peers-goals", "How many times as fast Patrol is");
    for (peer, patrol) in pairs(measured) {
        let ratio = patrol.records.rate / peer.records.rate;
        let row = row("read by id", patrol, peer, |of| of.records);
        goals.add(peer.subject.goal.into_iter().fold(row, |row, goal| row.at_least(ratio, goal)));
    }
    let by_rate = |one: &Pair<'_>, other: &Pair<'_>| one.0.page.rate.total_cmp(&other.0.page.rate);
    let best = pairs(measured).max_by(by_rate).map(|(peer, _)| peer.subject.name);
    for (peer, patrol) in pairs(measured) {
        let row = row("list of 50 with filter and exact count", patrol, peer, |of| of.page);
        let ratio = patrol.page.rate / peer.page.rate;
        let is_best = best == Some(peer.subject.name);
        goals.add(if is_best { row.at_least(ratio, LIST_GOAL) } else { row });
    }
    goals.table()
}

type Pair<'a> = (&'a Measured, &'a Measured);

/// Each peer with the Patrol to compare.
fn pairs(measured: &[Measured]) -> impl Iterator<Item = Pair<'_>> {
    let peers = measured.iter().filter(|peer| peer.subject.goal.is_some());
    peers.filter_map(move |peer| {
        let is_ours =
            |of: &&Measured| of.subject.goal.is_none() && of.subject.over == peer.subject.over;
        Some((peer, measured.iter().find(is_ours)?))
    })
}

fn row(what: &str, patrol: &Measured, peer: &Measured, of: fn(&Measured) -> Answered) -> Row {
    let (ours, theirs) = (of(patrol).rate, of(peer).rate);
    Row::new(format!("{what}, {}", patrol.subject.title()), format!("{ours:.0}/s"))
        .against(format!("{} {theirs:.0}/s", peer.subject.name), ours / theirs)
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
            format!("{:.0}", of.page.rate),
            latencies(of.page),
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
