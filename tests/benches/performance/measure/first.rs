//! Pages that are asked for the first time: after the start, and after a burst of writes.

use std::collections::BTreeSet;

use patrol_tests::bench::{
    load::{Change, median},
    process::Process,
    report::{Goals, Row},
};

use super::{counts::ask, matrix};
use crate::subject::Subject;

/// The goals in milliseconds: of a page after the start, and of one of a month after a burst of writes.
const AFTER_START: f64 = 50.0;
const AFTER_WRITES: f64 = 20.0;

/// Each page of the matrix, asked for once after the start.
pub(crate) fn after_start(subject: &Subject<'_>, goals: &mut Goals) {
    measure(subject, &subject.serve(), "the start", "", AFTER_START, goals);
}

/// Each page of a month, asked for once after a burst of writes to the times of rounds. All were asked for
/// before it.
pub(crate) fn after_writes(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    for query in pages(subject, matrix::MONTH) {
        ask(&api, &matrix::path(&query));
    }
    let _ = subject.changes(&server, Change::Times, false);
    measure(subject, &server, "a burst of writes", matrix::MONTH, AFTER_WRITES, goals);
}

/// The queries with this filter.
fn pages(subject: &Subject<'_>, filter: &str) -> BTreeSet<String> {
    let all = matrix::queries(subject.store.executions());
    all.filter(|query| query.contains(filter)).collect()
}

fn measure(
    subject: &Subject<'_>,
    server: &Process,
    event: &str,
    filter: &str,
    goal: f64,
    goals: &mut Goals,
) {
    let api = subject.api(server);
    let pages = pages(subject, filter);
    let times: Vec<_> = pages.iter().map(|query| ask(&api, &matrix::path(query))).collect();
    let slow = times.iter().filter(|time| **time > goal).count();
    let (asked, middle) = (times.len(), median(times.clone()));
    let (longest, query) = times
        .into_iter()
        .zip(&pages)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .expect("pages");
    goals.add(
        Row::new(
            format!("pages first asked for after {event}, the longest"),
            format!("{longest:.0} ms"),
        )
        .beside(format!("`{query}`; median {middle:.1} ms, {slow} of {asked} above {goal:.0} ms"))
        .at_most(longest, goal, "ms"),
    );
}
