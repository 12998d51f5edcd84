//! The import, and an idle server.

use std::{thread, time::Duration};

use patrol_tests::bench::{
    load::median,
    report::{Goals, Row, grouped},
    store::Import,
};

use crate::subject::Subject;

/// The goals of disk space per execution on SQLite and on PostgreSQL: 30 % more than it was with
/// 1,000,000 executions at commit 1d67663.
const MAX_BYTES: [f64; 2] = [6_800.0, 2_570.0];

pub(crate) fn measure(subject: &Subject<'_>, goals: &mut Goals) {
    let Import { rate, peak, size } = subject.import;
    let goal = subject.kind.pick(20_000.0, 10_000.0);
    goals.add(Row::new("import, executions/s", grouped(rate)).at_least(rate, goal));
    goals.add(Row::new("import, peak memory", format!("{peak:.0} MB")).at_most(peak, 256.0, "MB"));
    let bytes = size * 1e6 / f64::from(subject.store.executions());
    let most = subject.kind.pick(MAX_BYTES[0], MAX_BYTES[1]);
    goals.add(
        Row::new("disk space per execution", format!("{} bytes", grouped(bytes)))
            .at_most(bytes, most, "bytes"),
    );
    let starts = (0..subject.plan.rounds).map(|_| {
        let (server, took) = subject.store.serve();
        thread::sleep(Duration::from_secs(1));
        (took.as_secs_f64() * 1e3, server.memory("VmRSS"))
    });
    let (starts, memories): (Vec<_>, Vec<_>) = starts.unzip();
    let (start, memory) = (median(starts), median(memories));
    goals.add(Row::new("idle, memory", format!("{memory:.0} MB")).at_most(memory, 25.0, "MB"));
    goals.add(
        Row::new("start to first answer (read by id)", format!("{start:.0} ms"))
            .at_most(start, 150.0, "ms"),
    );
}
