//! A page of a list without concurrent writes.

use std::time::Duration;

use patrol_tests::bench::{
    company,
    load::{Requests, in_turn},
    postgres::pgbench,
    process::Process,
    report::{Goals, Row, rate},
};

use crate::{
    postgres, sqlite,
    subject::{BIG_PAGE, Kind, Subject, page, page_count, uncounted_page},
};

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let bare = subject.serve_bare(&server);
    check(subject, &server);
    let ask = |server: &Process, path: &str| subject.round(server, Requests::Same(path));
    let (page, uncounted, count) = (page(), uncounted_page(), page_count());
    let time = Duration::from_secs(subject.plan.seconds);
    let (file, location) = (subject.file(), sqlite::id(&company::location_id(1)));
    let [ours, short, theirs, own, number, big] = in_turn(
        subject.plan.rounds,
        &mut [
            &mut || ask(&server, &page),
            &mut || ask(&server, &uncounted),
            &mut || ask(&bare, &page),
            &mut || match subject.kind {
                Kind::Sqlite => sqlite::pages(&file, &location, time),
                Kind::Postgres(_) => {
                    pgbench(subject.store.url(), &postgres::page(), subject.plan.seconds)
                }
            },
            &mut || ask(&server, &count),
            &mut || ask(&server, BIG_PAGE),
        ],
    )[..] else {
        unreachable!()
    };
    let row = || Row::new("list of 50 of a location, with count", rate(ours.rate));
    let ratio = ours.rate / short.rate;
    goals.add(
        row()
            .against(format!("a page of 49 that needs no count {}", rate(short.rate)), ratio)
            .at_least(ratio, 0.6),
    );
    let ratio = ours.rate / theirs.rate;
    let by_bare = row().against(format!("bare actix-web {}", rate(theirs.rate)), ratio);
    goals.add(match subject.kind {
        Kind::Sqlite => by_bare.at_least(ratio, 0.05),
        Kind::Postgres(_) => by_bare,
    });
    let tool = subject
        .kind
        .pick("prepared statement in a loop, no count", "pgbench, the same statement, no count");
    goals.add(row().against(format!("{tool} {}", rate(own.rate)), ours.rate / own.rate));
    let waits = format!("{:.2} / {:.2} ms", ours.p50, ours.p99);
    goals.add(Row::new("list of 50 of a location, p50 / p99", waits));
    goals.add(Row::new("its count alone (`limit=0`)", rate(number.rate)));
    goals.add(
        Row::new("list of 50 of all completed, with count", rate(big.rate))
            .against(format!("that of a location {}", rate(ours.rate)), big.rate / ours.rate),
    );
}

/// Checks that the pages have the expected content.
fn check(subject: &Subject<'_>, server: &Process) {
    let rows = |path: &str| {
        let page = subject.api(server).outside(path).ok();
        let rows = page["data"].as_array().expect("data").len();
        (u64::try_from(rows).expect("a number"), page["meta"]["count"].as_u64().expect("a count"))
    };
    assert_eq!(rows(&uncounted_page()), (company::FEW.into(), company::FEW.into()));
    let (shown, count) = rows(&page());
    assert!(count >= shown && (shown == 50 || subject.plan.quick), "{shown} of {count}");
}
