//! Latencies at a fixed rate.

use patrol_tests::bench::{
    load::{Requests, Target},
    rate::{self, Latencies},
    report::{Table, grouped},
    svg::{self, Axis, Series},
};

use crate::subject::{EXECUTIONS, Kind, Subject, page};

/// Requests per second, well below the capacity.
const READS: u32 = 4_000;
const PAGES: u32 = 1_000;

const PLACES: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// The results so far.
#[derive(Default)]
pub(crate) struct Rates {
    series: Vec<Series>,
    seconds: u64,
}

impl Rates {
    /// Measures a store, and the bare handler once.
    pub(crate) fn measure(&mut self, subject: &Subject<'_>) {
        self.seconds = if subject.plan.quick { 2 } else { 15 };
        let server = subject.serve();
        let bare = subject.serve_bare(&server);
        let ids = subject.store.completed();
        let reads = Requests::Each { before: EXECUTIONS, ids: &ids, after: "" };
        let page = page();
        let title = subject.kind.title();
        if matches!(subject.kind, Kind::Sqlite) || self.series.is_empty() {
            self.add("bare actix-web, by id", subject.target(&bare), reads, READS);
        }
        self.add(&format!("{title}, by id"), subject.target(&server), reads, READS);
        let pages = Requests::Same(&page);
        self.add(&format!("{title}, list of 50"), subject.target(&server), pages, PAGES);
    }

    fn add(&mut self, what: &str, target: Target<'_>, requests: Requests<'_>, per_second: u32) {
        let latencies: Latencies = rate::at(target, requests, per_second, self.seconds);
        let label = format!("{what}, {}/s", grouped(per_second.into()));
        eprintln!("{label}: {latencies:?}");
        self.series.push(Series { label, values: latencies.all().to_vec() });
    }

    /// The table, if something was measured.
    pub(crate) fn table(&self) -> Option<Table> {
        if self.series.is_empty() {
            return None;
        }
        let title = format!(
            "Latency at a fixed rate ({} s each, from the time a request was due)",
            self.seconds
        );
        let places = PLACES.map(str::to_owned);
        let axis = Axis { places: &places, unit: "milliseconds", goals: &[] };
        let line = |Series { label, values }: &Series| {
            let values = values.iter().map(|value| format!("{value:.2} ms"));
            [label.clone()].into_iter().chain(values).collect()
        };
        Some(Table {
            name: "latency".to_owned(),
            head: ["what".to_owned()].into_iter().chain(places.clone()).collect(),
            lines: self.series.iter().map(line).collect(),
            picture: svg::lines(&title, &axis, &self.series),
            title,
        })
    }
}
