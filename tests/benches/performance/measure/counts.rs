//! The first count after a write.

use std::time::Instant;

use patrol_tests::{
    Api,
    bench::{
        company,
        load::median,
        report::{Goals, Row},
    },
    execution_id,
};
use serde_json::json;

use crate::{
    postgres, sqlite,
    subject::{BIG_PAGE, Kind, Subject},
};

/// The number of writes and counts.
const TIMES: u32 = 30;

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let api = subject.api(&server);
    let mut own: Box<dyn FnMut() -> f64> = match subject.kind {
        Kind::Sqlite => {
            let mut database = sqlite::connect(&subject.file());
            Box::new(move || sqlite::count(&mut database).as_secs_f64() * 1e3)
        }
        Kind::Postgres(_) => Box::new(|| postgres::count(subject.store.url())),
    };
    let mut writes = Writes::of(subject, "a count");
    let timed = (0..TIMES).map(|_| {
        // Both after the same write: counted first, then from the cache.
        writes.next(&api);
        let first = ask(&api, BIG_PAGE);
        let own = own();
        (first, (ask(&api, BIG_PAGE), own))
    });
    let (first, others): (Vec<_>, Vec<_>) = timed.unzip();
    let (again, own): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    let (first, again, own) = (median(first), median(again), median(own));
    let ratio = first / own;
    let title = subject.kind.title();
    goals.add(
        Row::new("list of 50, first count after a write", format!("{first:.2} ms"))
            .against(format!("{title}'s own count {own:.2} ms"), ratio)
            .at_most(ratio, 1.3, ""),
    );
    goals.add(
        Row::new("list of 50, count known", format!("{again:.2} ms"))
            .against(format!("first {first:.2} ms"), again / first),
    );
}

/// The time of a response, in milliseconds.
pub(crate) fn ask(api: &Api, path: &str) -> f64 {
    let start = Instant::now();
    let answer = api.outside(path);
    let took = start.elapsed().as_secs_f64() * 1e3;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    took
}

/// Small changes, each of which invalidates the cached counts.
pub(crate) struct Writes {
    planned: Vec<u32>,
    purpose: &'static str,
    done: usize,
}

impl Writes {
    /// Changes for this purpose. They differ from those of other purposes, because a change without
    /// effect invalidates nothing.
    pub(crate) fn of(subject: &Subject<'_>, purpose: &'static str) -> Self {
        let all = 0..subject.store.executions();
        let planned = all.filter(|n| company::is_pending(*n)).take(50).collect();
        Self { planned, purpose, done: 0 }
    }

    pub(crate) fn next(&mut self, api: &Api) {
        let n = self.planned[self.done % self.planned.len()];
        self.done += 1;
        let body = json!({ "name": format!("Round {} for {}", self.done, self.purpose) });
        let _ = api.patch(&format!("/task-executions/{}", execution_id(n)), &body).ok();
    }
}
