//! The first count after a write.

use std::time::Instant;

use patrol_tests::execution_id;
use serde_json::json;

use crate::{
    bench::Bench,
    company, database,
    load::median,
    report::{Report, Row},
};

/// How often a record is changed and the list asked for.
const TIMES: u32 = 30;

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    let (server, _) = bench.serve();
    let (api, mut database) = (bench.api(&server), database::connect(&bench.database()));
    let page = "/task-executions/info?state=COMPLETED&sort=startAt,desc&limit=50";
    let planned: Vec<u32> =
        (0..bench.plan.executions).filter(|n| company::is_pending(*n)).take(50).collect();
    let timed = (0..TIMES).map(|at| {
        // Once anew and once known, both after the same write.
        let ask = || {
            let start = Instant::now();
            let answer = api.get(page);
            let took = start.elapsed().as_secs_f64() * 1e3;
            assert_eq!(answer.status, 200);
            took
        };
        let n = planned[usize::try_from(at).expect("a number") % planned.len()];
        let body = json!({ "name": format!("Round {at}") });
        let _ = api.patch(&format!("/task-executions/{}", execution_id(n)), &body).ok();
        let first = ask();
        let store = database::count(&mut database).as_secs_f64() * 1e3;
        (first, (ask(), store))
    });
    let (first, others): (Vec<_>, Vec<_>) = timed.unzip();
    let (again, store): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    let (first, again, store) = (median(first), median(again), median(store));
    let ratio = first / store;
    report.add(
        Row::new("list of 50, first count after a write", format!("{first:.2} ms"))
            .against(format!("SQLite's own count {store:.2} ms"), ratio)
            .at_most(ratio, 1.3, ""),
    );
    report.add(
        Row::new("list of 50, count known", format!("{again:.2} ms"))
            .against(format!("first {first:.2} ms"), again / first),
    );
}
