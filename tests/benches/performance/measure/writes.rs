//! Changes from many concurrent clients.

use std::time::Duration;

use patrol_tests::bench::{
    load::{Change, in_turn},
    postgres::pgbench,
    report::{Goals, Row, rate},
};

use crate::{
    postgres, sqlite,
    subject::{Kind, Subject},
};

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let server = subject.serve();
    let mut database =
        matches!(subject.kind, Kind::Sqlite).then(|| sqlite::connect(&subject.file()));
    let ids = sqlite::ids(&subject.store.pending());
    let time = Duration::from_secs(subject.plan.seconds);
    for (name, what) in
        [("of the description", Change::Description), ("of the times", Change::Times)]
    {
        let script = postgres::change(subject.store.executions(), what);
        let [ours, own] = in_turn(
            subject.plan.rounds,
            &mut [&mut || subject.changes(&server, what, false), &mut || match &mut database {
                Some(database) => sqlite::changes(database, &ids, what, time),
                None => pgbench(subject.store.url(), &script, subject.plan.seconds),
            }],
        )[..] else {
            unreachable!()
        };
        let ratio = ours.rate / own.rate;
        let tool = subject.kind.pick("one transaction a write", "pgbench, the same change");
        let rates = Row::new(format!("PATCH {name}, durable"), rate(ours.rate))
            .against(format!("{tool} {}", rate(own.rate)), ratio);
        let waits = Row::new(
            format!("PATCH {name}, p50 / p99"),
            format!("{:.2} / {:.2} ms", ours.p50, ours.p99),
        );
        match subject.kind {
            Kind::Sqlite => {
                goals.add(rates.at_least(ratio, 5.0));
                goals.add(waits.at_most(ours.p99, 20.0, "ms"));
            }
            Kind::Postgres(_) => {
                goals.add(rates);
                goals.add(waits);
            }
        }
    }
    let change = |keyed| subject.changes(&server, Change::Times, keyed);
    let [keyed, plain] =
        in_turn(subject.plan.rounds, &mut [&mut || change(true), &mut || change(false)])[..]
    else {
        unreachable!()
    };
    let ratio = keyed.rate / plain.rate;
    goals.add(
        Row::new("PATCH of the times with an Idempotency-Key", rate(keyed.rate))
            .against(format!("without a key {}", rate(plain.rate)), ratio)
            .at_least(ratio, 0.8),
    );
}
