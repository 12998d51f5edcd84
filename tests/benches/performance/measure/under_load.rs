//! Reads by id while other clients repeat the slowest lists.

use std::{fs, thread};

use patrol_tests::bench::{
    load::{self, CONNECTIONS, Requests, Round, median},
    report::{Goals, Row, grouped, rate},
};

use super::matrix;
use crate::subject::{EXECUTIONS, Subject};

/// The number of clients that repeat lists.
const CLIENTS: u32 = 16;

/// The most that the 99th percentile of a read may take, in milliseconds.
const GOAL: f64 = 50.0;

/// `lists` are the queries of the lists.
pub(crate) fn measure(subject: &Subject<'_>, lists: &[String], goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    for list in lists {
        // The first request with a filter at all is not part of the figures. It may take too long.
        let _ = api.outside(&matrix::path(list));
    }
    let file = subject.store.file("lists.txt");
    fs::write(&file, lists.join("\n")).expect("the lists are written");
    let lists = Requests::Each { before: matrix::PAGE, ids: &file, after: "" };
    let ids = subject.store.completed();
    let reads = Requests::Each { before: EXECUTIONS, ids: &ids, after: "" };
    let (target, seconds) = (subject.target(&server), subject.plan.seconds);
    let round = || {
        thread::scope(|scope| {
            // The lists begin before the reads and end after them.
            let lists = scope.spawn(|| {
                load::round_with_failures(target, lists, CLIENTS, seconds.saturating_add(1))
            });
            load::settle();
            let reads = load::round_with_failures(target, reads, CONNECTIONS, seconds);
            (reads, lists.join().expect("the lists are read"))
        })
    };
    let (reads, lists): (Vec<_>, Vec<_>) = (0..subject.plan.rounds).map(|_| round()).unzip();
    let of = |rounds: &[Round], figure: fn(&Round) -> f64| median(rounds.iter().map(figure));
    let (p99, read) = (of(&reads, |it| it.answered.p99), of(&reads, |it| it.answered.rate));
    let what = format!("read by id beside {CLIENTS} clients with the slowest lists, p99");
    goals.add(
        Row::new(what, format!("{p99:.1} ms"))
            .beside(format!("{}, {}", rate(read), failures(&reads)))
            .at_most(p99, GOAL, "ms"),
    );
    let pages: f64 = lists.iter().map(|it| it.requests).sum();
    let (listed, slow) = (of(&lists, |it| it.answered.rate), of(&lists, |it| it.answered.p99));
    goals.add(Row::new("these lists meanwhile", rate(listed)).beside(format!(
        "{} pages of 50, p99 {slow:.1} ms, {}",
        grouped(pages),
        failures(&lists)
    )));
}

/// The number of failed requests, 5xx among them.
fn failures(rounds: &[Round]) -> String {
    let failed: f64 = rounds.iter().map(|it| it.failed).sum();
    if failed == 0.0 { "no failure".to_owned() } else { format!("**{failed} failures**") }
}
