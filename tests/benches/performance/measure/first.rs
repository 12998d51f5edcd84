//! Pages that nobody has asked for yet: after the start, and after a burst of writes.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use patrol_tests::bench::{
    load::Change,
    rate::Latencies,
    report::{Goals, Row},
};

use super::{counts::ask, matrix};
use crate::subject::Subject;

/// The goal of the first page with a filter and an order, in milliseconds.
const FIRST: f64 = 50.0;

/// The goal of the p99 of pages after a burst of writes, in milliseconds, and how long they are asked for.
const AFTER_WRITES: (f64, Duration) = (20.0, Duration::from_secs(3));

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    let queries: BTreeSet<_> = matrix::queries(subject.store.executions()).collect();
    let times: Vec<_> = queries.iter().map(|query| ask(&api, &matrix::path(query))).collect();
    let slow = times.iter().filter(|time| **time > FIRST).count();
    let longest = times.iter().copied().fold(0.0, f64::max);
    goals.add(
        Row::new("pages first asked for after the start, the longest", format!("{longest:.0} ms"))
            .beside(format!("{slow} of {} above {FIRST:.0} ms", times.len()))
            .at_most(longest, FIRST, "ms"),
    );

    let _ = subject.changes(&server, Change::Times, false);
    let (goal, time) = AFTER_WRITES;
    let end = Instant::now() + time;
    let of_a_month = queries.iter().filter(|query| query.contains(matrix::MONTH)).cycle();
    let times = of_a_month.take_while(|_| Instant::now() < end);
    let times: Vec<_> = times.map(|query| ask(&api, &matrix::path(query))).collect();
    let asked = times.len();
    let Latencies { p50, p99, .. } = Latencies::of(times);
    goals.add(
        Row::new("pages of a month, after a burst of writes, p99", format!("{p99:.1} ms"))
            .beside(format!("p50 {p50:.1} ms, {asked} pages in {} s", time.as_secs()))
            .at_most(p99, goal, "ms"),
    );
}
