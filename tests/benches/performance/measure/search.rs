//! Search for a rare word, for a missing one, and for one in every record.

use patrol_tests::{
    bench::{
        company::{ABSENT, BROAD, RARE},
        load::median,
        report::{Goals, Row},
    },
    escaped,
};

use super::counts::{Writes, ask};
use crate::subject::Subject;

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    let mut writes = Writes::of(subject, "a search");
    for (what, word) in [("rare", RARE), ("absent", ABSENT), ("broad", BROAD)] {
        let path = format!("/v1/task-executions/info?q={}&limit=50", escaped(word));
        let timed = (0..subject.plan.rounds).map(|_| {
            // Invalidates the cached count of the previous word.
            writes.next(&api);
            (ask(&api, &path), ask(&api, &path))
        });
        let (first, again): (Vec<_>, Vec<_>) = timed.unzip();
        let (first, again) = (median(first), median(again));
        let count = &api.outside(&path).ok()["meta"]["count"];
        let row = Row::new(
            format!("search for a word that is {what}, first after a write"),
            format!("{first:.1} ms"),
        );
        goals.add(row.beside(format!("{count} matches; count known: {again:.1} ms")));
    }
}
