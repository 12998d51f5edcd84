//! The measurements, by subject.

pub(crate) mod growth;
pub(crate) mod rates;

pub(crate) mod matrix;

mod cold;
mod counts;
mod first;
mod guards;
mod office;
mod pages;
mod reads;
mod reports;
mod search;
mod start;
mod under_load;
mod whole_list;
mod writes;

use std::fs;

use patrol_tests::bench::report::{Goals, Table, grouped};
use rates::Rates;

use crate::subject::{Kind, Subject};

/// Measures a part, and adds its figures.
type Part = fn(&Subject<'_>, &mut Goals);

/// The measurements of a single store whose names are selected. `lists` are the queries of its slowest lists.
pub(crate) fn all(subject: &Subject<'_>, rates: &mut Rates, lists: &[String]) -> Table {
    let name = subject.kind.name();
    let executions = grouped(subject.plan.executions.into());
    let title = format!("{}, {executions} executions", subject.kind.title());
    let mut goals = Goals::new(name, &title);
    let goals = &mut goals;
    let is_wanted = |name| subject.plan.wants_part(name);
    let part = |goals: &mut Goals, name, measure: Part| {
        if is_wanted(name) {
            measure(subject, goals);
        }
    };
    part(goals, "start", start::measure);
    part(goals, "first", first::after_start);
    part(goals, "reads", reads::measure);
    part(goals, "pages", pages::measure);
    if is_wanted("rates") {
        rates.measure(subject);
    }
    part(goals, "lists", whole_list::measure);
    if is_wanted("lists") {
        under_load::measure(subject, lists, goals);
    }
    part(goals, "cold", cold::measure);
    part(goals, "counts", counts::measure);
    part(goals, "search", search::measure);
    part(goals, "office", office::measure);
    part(goals, "writes", writes::measure);
    part(goals, "first", first::after_writes);
    part(goals, "round", reports::whole_round);
    // After the others, because it walks the rounds that they change.
    part(goals, "guards", guards::measure);
    part(goals, "reports", reports::measure);
    goals.table()
}

/// The size of the store after the measurements.
pub(crate) fn state(subject: &Subject<'_>) -> String {
    let (title, size) = (subject.kind.title(), subject.import.size);
    let log = match subject.kind {
        Kind::Sqlite => fs::metadata(subject.store.file("patrol.db-wal")).map(|log| {
            format!("; write-ahead log after the writes {:.0} MB", log.len() as f64 / 1e6)
        }),
        Kind::Postgres(_) => Ok("; vacuumed and analysed after the import".to_owned()),
    };
    format!("store on {title}: {size:.0} MB{}", log.unwrap_or_default())
}
