//! The measurements, by subject.

pub(crate) mod growth;
pub(crate) mod rates;

pub(crate) mod matrix;

mod cold;
mod counts;
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

/// All measurements of a single store. `lists` are the queries of its slowest lists.
pub(crate) fn all(subject: &Subject<'_>, rates: &mut Rates, lists: &[String]) -> Table {
    let name = subject.kind.name();
    let executions = grouped(subject.plan.executions.into());
    let title = format!("{}, {executions} executions", subject.kind.title());
    let mut goals = Goals::new(name, &title);
    start::measure(subject, &mut goals);
    reads::measure(subject, &mut goals);
    pages::measure(subject, &mut goals);
    rates.measure(subject);
    whole_list::measure(subject, &mut goals);
    under_load::measure(subject, lists, &mut goals);
    cold::measure(subject, &mut goals);
    counts::measure(subject, &mut goals);
    search::measure(subject, &mut goals);
    office::measure(subject, &mut goals);
    writes::measure(subject, &mut goals);
    reports::whole_round(subject, &mut goals);
    // After the others, because it walks the rounds that they change.
    guards::measure(subject, &mut goals);
    reports::measure(subject, &mut goals);
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
