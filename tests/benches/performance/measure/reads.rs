//! Reading by id.

use std::time::Duration;

use patrol_tests::bench::{
    load::in_turn,
    postgres::pgbench,
    report::{Goals, Row, rate},
};

use crate::{
    postgres, sqlite,
    subject::{Kind, Subject},
};

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let bare = subject.serve_bare(&server);
    let time = Duration::from_secs(subject.plan.seconds);
    let (file, ids) = (subject.file(), sqlite::ids(&subject.store.completed()));
    let script = postgres::read(subject.store.executions());
    let [ours, theirs, own] = in_turn(
        subject.plan.rounds,
        &mut [&mut || subject.reads(&server), &mut || subject.reads(&bare), &mut || match subject
            .kind
        {
            Kind::Sqlite => sqlite::reads(&file, &ids, time),
            Kind::Postgres(_) => pgbench(subject.store.url(), &script, subject.plan.seconds),
        }],
    )[..] else {
        unreachable!()
    };
    let (to_bare, to_own) = (ours.rate / theirs.rate, ours.rate / own.rate);
    let by_bare = Row::new("read by id, random", rate(ours.rate))
        .against(format!("bare actix-web {}", rate(theirs.rate)), to_bare);
    let tool = subject.kind.pick("prepared statement in a loop", "pgbench, the same statement");
    let by_own = Row::new("read by id, random", rate(ours.rate))
        .against(format!("{tool} {}", rate(own.rate)), to_own);
    let waits = Row::new("read by id, p50 / p99", format!("{:.2} / {:.2} ms", ours.p50, ours.p99))
        .against(
            format!("bare actix-web {:.2} / {:.2} ms", theirs.p50, theirs.p99),
            ours.p99 / theirs.p99,
        );
    match subject.kind {
        Kind::Sqlite => {
            goals.add(by_bare.at_least(to_bare, 0.5));
            goals.add(by_own);
            goals.add(waits);
        }
        Kind::Postgres(_) => {
            goals.add(by_bare);
            goals.add(by_own.at_least(to_own, 0.6));
            let waits = format!("{:.2} / {:.2} ms", ours.p50, ours.p99);
            goals.add(Row::new("read by id, p50 / p99", waits).at_most(ours.p99, 50.0, "ms"));
        }
    }
}
