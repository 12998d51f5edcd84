//! A page of a list while the data is at rest.

use crate::{
    bench::Bench,
    company,
    load::{self, Requests},
    process::Process,
    report::{Report, Row},
};

/// The latest 50 completed executions of a location, below `/v1`.
pub(crate) fn path() -> String {
    of_location(1, 50)
}

/// The same of the location that has 49: they are the last ones, so that there is nothing to count.
fn uncounted_path() -> String {
    of_location(0, 50)
}

fn of_location(location: u32, limit: u32) -> String {
    let location = company::location_id(location);
    format!(
        "/task-executions/info?locationId={location}&state=COMPLETED&sort=startAt,desc&limit={limit}"
    )
}

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    let (server, _) = bench.serve();
    let bare = bench.serve_bare(&server, &path());
    check(bench, &server);
    let ask =
        |server: &Process, path: &str| load::round(bench, server.address(), Requests::Same(path));
    let (page, uncounted, count) = (path(), uncounted_path(), of_location(1, 0));
    let rounds = bench.plan.rounds;
    let [ours, theirs] = load::in_turn(rounds, || ask(&server, &page), || ask(&bare, &page));
    let ratio = ours.rate / theirs.rate;
    report.add(
        Row::new("list of 50 of a location, with count", format!("{:.0}/s", ours.rate))
            .against(format!("bare actix-web {:.0}/s", theirs.rate), ratio)
            .at_least(ratio, 0.05),
    );
    report.add(Row::new("list of 50, p50 / p99", format!("{:.2} / {:.2} ms", ours.p50, ours.p99)));
    let [ours, theirs] = load::in_turn(rounds, || ask(&server, &page), || ask(&server, &uncounted));
    let ratio = ours.rate / theirs.rate;
    report.add(
        Row::new("the same", format!("{:.0}/s", ours.rate))
            .against(format!("a page of 49 that needs no count {:.0}/s", theirs.rate), ratio)
            .at_least(ratio, 0.6),
    );
    let [ours, theirs] = load::in_turn(rounds, || ask(&server, &count), || ask(&server, &page));
    report.add(
        Row::new("its count alone (limit=0)", format!("{:.0}/s", ours.rate))
            .against(format!("the page {:.0}/s", theirs.rate), ours.rate / theirs.rate),
    );
}

/// The pages are what they are taken for.
fn check(bench: &Bench, server: &Process) {
    let rows = |path: &str| {
        let page = bench.api(server).get(path).ok();
        let rows = page["data"].as_array().expect("data").len();
        (u64::try_from(rows).expect("a number"), page["meta"]["count"].as_u64().expect("a count"))
    };
    assert_eq!(rows(&uncounted_path()), (company::FEW.into(), company::FEW.into()));
    let (shown, count) = rows(&path());
    assert!(count >= shown && (shown == 50 || bench.plan.quick), "{shown} of {count}");
}
