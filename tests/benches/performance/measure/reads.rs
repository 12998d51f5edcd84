//! Reading by id.

use crate::{
    bench::Bench,
    load::{self, Requests},
    measure::pages,
    report::{Report, Row},
};

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    let (server, _) = bench.serve();
    let bare = bench.serve_bare(&server, &pages::path());
    let [ours, theirs] = load::in_turn(
        bench.plan.rounds,
        || load::round(bench, server.address(), Requests::Reads),
        || load::round(bench, bare.address(), Requests::Reads),
    );
    let ratio = ours.rate / theirs.rate;
    report.add(
        Row::new("read by id, random", format!("{:.0}/s", ours.rate))
            .against(format!("bare actix-web {:.0}/s", theirs.rate), ratio)
            .at_least(ratio, 0.5),
    );
    report.add(
        Row::new("read by id, p50 / p99", format!("{:.2} / {:.2} ms", ours.p50, ours.p99)).against(
            format!("bare actix-web {:.2} / {:.2} ms", theirs.p50, theirs.p99),
            ours.p99 / theirs.p99,
        ),
    );
}
