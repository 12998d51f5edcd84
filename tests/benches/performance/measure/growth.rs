//! How the cost grows with the number of records.

use std::mem;

use patrol_tests::bench::{
    load::{Answered, Requests, in_turn, median},
    plan::Plan,
    process::Process,
    report::{Table, grouped, rate},
    svg::{self, Axis, Series},
};

use super::{
    counts::{Writes, ask},
    matrix,
};
use crate::subject::{BIG_PAGE, Subject, page};

/// The goals: the cost at the largest size, relative to the smallest, of a read by id and of a page
/// with few matches.
const READ: f64 = 1.2;
const PAGE: f64 = 1.5;

/// How often a write and the count after it are measured.
const TIMES: usize = 9;

/// The results so far.
pub(crate) struct Growth {
    sizes: Vec<u32>,
    costs: Vec<Cost>,
    notes: Vec<String>,
    matrices: Vec<Table>,
    /// The queries of the slowest pages of the store that was measured last.
    slowest: Vec<String>,
}

/// The cost of an operation at each size.
struct Cost {
    what: String,
    /// In microseconds.
    micros: Vec<f64>,
    goal: Option<f64>,
    /// Whether the cost is expected to grow with the size.
    is_proportional: bool,
}

impl Growth {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            sizes: plan.growth.clone(),
            costs: Vec::new(),
            notes: Vec::new(),
            matrices: Vec::new(),
            slowest: Vec::new(),
        }
    }

    /// Measures a kind of store at all sizes. The subject is the largest unless another size was
    /// requested.
    pub(crate) fn measure(&mut self, subject: &Subject<'_>) {
        let Subject { plan, kind, .. } = *subject;
        eprintln!("\ngrowth, {}", kind.title());
        let sizes = self.sizes.iter().filter(|size| **size != subject.store.executions());
        let others: Vec<_> = sizes.map(|size| Subject::fill(plan, kind, *size)).collect();
        let mut subjects: Vec<_> = others.iter().chain([subject]).collect();
        subjects.retain(|it| self.sizes.contains(&it.store.executions()));
        subjects.sort_by_key(|it| it.store.executions());
        let servers: Vec<_> = subjects.iter().map(|it| it.serve()).collect();
        let all: Vec<_> = subjects.into_iter().zip(&servers).collect();
        self.reads(&all);
        let page = page();
        let pages =
            |path: &str, it: &Subject<'_>, server: &Process| it.round(server, Requests::Same(path));
        let small = served(&all, |it, server| pages(&page, it, server));
        let big = served(&all, |it, server| pages(BIG_PAGE, it, server));
        let title = kind.title();
        self.add(format!("{title}, list of 50 of a location"), small, Some(PAGE), false);
        self.add(format!("{title}, list of 50 of all completed"), big, None, false);
        let imports = all.iter().map(|(it, _)| 1e6 / it.import.rate).collect();
        self.add(format!("{title}, import of an execution"), imports, None, false);
        let counts = all.iter().map(|(it, server)| count(it, server)).collect();
        self.add(format!("{title}, first count of three in four"), counts, None, true);
        let sizes: Vec<_> = all.iter().map(|(it, server)| matrix::measure(it, server)).collect();
        self.matrices.extend(sizes.iter().map(|size| size.table(&sizes)));
        self.slowest = sizes.last().expect("a size").slowest_queries();
    }

    /// Reads by id, alternating with the bare handler, so that disturbances of the machine show.
    fn reads(&mut self, all: &[(&Subject<'_>, &Process)]) {
        let (subject, server) = all[0];
        let bare = subject.serve_bare(server);
        let mut kinds: Vec<Box<dyn FnMut() -> Answered + '_>> = Vec::new();
        for (subject, server) in all {
            kinds.push(Box::new(|| subject.reads(server)));
        }
        kinds.push(Box::new(|| subject.reads(&bare)));
        let mut answered = rounds(subject.plan.rounds, &mut kinds);
        let bare = answered.pop().expect("the bare handler has answered");
        let title = subject.kind.title();
        let ratios: Vec<_> =
            answered.iter().map(|it| format!("{:.2}", it.rate / bare.rate)).collect();
        self.notes.push(format!(
            "growth on {title}, read by id: {} of the rate of the bare handler in the same rounds ({})",
            ratios.join(" / "),
            rate(bare.rate),
        ));
        let micros = answered.iter().map(|it| 1e6 / it.rate).collect();
        self.add(format!("{title}, read by id"), micros, Some(READ), false);
    }

    fn add(&mut self, what: String, micros: Vec<f64>, goal: Option<f64>, is_proportional: bool) {
        let cost = Cost { what, micros, goal, is_proportional };
        eprintln!("{}: {:?}", cost.what, cost.cells());
        self.costs.push(cost);
    }

    /// Reads by id compared with the bare handler.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The queries of the slowest pages, or of a fixed choice if no pages were measured.
    pub(crate) fn slowest(&self) -> Vec<String> {
        if self.slowest.is_empty() { matrix::usually_slow() } else { self.slowest.clone() }
    }

    /// The slowest pages of each size.
    pub(crate) fn matrices(&mut self) -> Vec<Table> {
        mem::take(&mut self.matrices)
    }

    /// The table, if something was measured.
    pub(crate) fn table(&self) -> Option<Table> {
        if self.costs.is_empty() {
            return None;
        }
        let title =
            format!("Growth: cost of a request, {} executions = 1", grouped(self.sizes[0].into()));
        let places: Vec<_> = self.sizes.iter().map(|size| grouped((*size).into())).collect();
        let goals = [
            (READ, format!("goal of reading by id: {READ}")),
            (PAGE, format!("goal of a selective page: {PAGE}")),
        ];
        let axis = Axis { places: &places, unit: "times the cost of the smallest", goals: &goals };
        // Costs that grow by nature would make the others too small to see.
        let shown = self.costs.iter().filter(|cost| !cost.is_proportional);
        let series: Vec<_> =
            shown.map(|cost| Series { label: cost.what.clone(), values: cost.ratios() }).collect();
        let head = ["what".to_owned()].into_iter().chain(places.clone());
        let head = head.chain(["ratio", "goal"].map(str::to_owned)).collect();
        Some(Table {
            name: "growth".to_owned(),
            head,
            lines: self.costs.iter().map(Cost::cells).collect(),
            picture: svg::lines(&title, &axis, &series),
            title,
        })
    }
}

impl Cost {
    /// The cost relative to the smallest size.
    fn ratios(&self) -> Vec<f64> {
        self.micros.iter().map(|cost| cost / self.micros[0]).collect()
    }

    fn cells(&self) -> Vec<String> {
        let ratio = self.micros[self.micros.len() - 1] / self.micros[0];
        let goal = self.goal.map_or(String::new(), |goal| {
            format!("≤ {goal}{}", if ratio <= goal { ", met" } else { ", **missed**" })
        });
        let costs = self.micros.iter().map(|cost| match cost {
            1_000.0.. => format!("{:.2} ms", cost / 1e3),
            _ => format!("{cost:.1} µs"),
        });
        let costs = [self.what.clone()].into_iter().chain(costs);
        costs.chain([format!("{ratio:.2}"), goal]).collect()
    }
}

/// The cost of a request at each size, under full load, in microseconds.
fn served(
    all: &[(&Subject<'_>, &Process)],
    round: impl Fn(&Subject<'_>, &Process) -> Answered,
) -> Vec<f64> {
    let mut kinds: Vec<Box<dyn FnMut() -> Answered + '_>> = Vec::new();
    for (subject, server) in all {
        kinds.push(Box::new(|| round(subject, server)));
    }
    rounds(all[0].0.plan.rounds, &mut kinds).iter().map(|it| 1e6 / it.rate).collect()
}

fn rounds(rounds: usize, kinds: &mut [Box<dyn FnMut() -> Answered + '_>]) -> Vec<Answered> {
    let mut kinds: Vec<&mut dyn FnMut() -> Answered> =
        kinds.iter_mut().map(|kind| kind.as_mut() as &mut dyn FnMut() -> Answered).collect();
    in_turn(rounds, &mut kinds)
}

/// The first page of all completed executions after a write, in microseconds.
fn count(subject: &Subject<'_>, server: &Process) -> f64 {
    let api = subject.api(server);
    let mut writes = Writes::of(subject, "growth");
    let timed = (0..TIMES).map(|_| {
        writes.next(&api);
        ask(&api, BIG_PAGE) * 1e3
    });
    median(timed.collect::<Vec<_>>())
}
