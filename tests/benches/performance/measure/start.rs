//! A server that has nothing to do.

use std::{thread, time::Duration};

use crate::{
    bench::Bench,
    load::median,
    report::{Report, Row},
};

pub(crate) fn measure(bench: &Bench, report: &mut Report) {
    let starts = (0..bench.plan.rounds).map(|_| {
        let (server, took) = bench.serve();
        thread::sleep(Duration::from_secs(1));
        (took.as_secs_f64() * 1e3, server.memory("VmRSS"))
    });
    let (starts, memories): (Vec<_>, Vec<_>) = starts.unzip();
    let (start, memory) = (median(starts), median(memories));
    report.add(Row::new("idle, memory", format!("{memory:.0} MB")).at_most(memory, 25.0, "MB"));
    report.add(
        Row::new("start to first answer (read by id)", format!("{start:.0} ms"))
            .at_most(start, 150.0, "ms"),
    );
}
