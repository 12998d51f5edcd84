//! The query language on the list of executions, and how lists are written and sent.

mod echo;
mod filters;
mod paging;
mod strange;
mod stream;
mod wire;

use patrol_domain::{
    Timestamp,
    ids::{Uuid, parse},
    list::{Comparison, Condition, Direction, Membership, Page, Sort, Test},
    task_execution::{
        DateFilter, ExecutionFilter, ExecutionList, ExecutionSort, Moment, Punctuality,
        date_condition,
    },
};

use super::parse::{ParsedQuery, parse_query};
use crate::error::{ApiError, Code, Detail};

const A: &str = "0190a000-0000-7000-8000-00000000000a";
const B: &str = "0190a000-0000-7000-8000-00000000000b";
const TIME: &str = "2026-01-31T08:00:00.000Z";

fn now() -> Timestamp {
    Timestamp::parse("2026-02-01T00:00:00Z").unwrap()
}

fn moment() -> Moment {
    Punctuality::default().at(now())
}

fn time() -> Timestamp {
    Timestamp::parse(TIME).unwrap()
}

fn id(text: &str) -> Uuid {
    parse(text).unwrap()
}

fn parsed(query: &str) -> ParsedQuery<ExecutionList> {
    parse_query(query, moment()).unwrap_or_else(|error| panic!("{query}: {error:?}"))
}

fn condition(query: &str) -> Condition<ExecutionFilter> {
    parsed(query).query.condition
}

/// Code, parameter and args of every fault.
fn faults(query: &str) -> Vec<(&'static str, String, String)> {
    match parse_query::<ExecutionList>(query, moment()) {
        Err(ApiError::Known(problem)) => {
            assert_eq!(problem.code, Code::InputInvalid, "{query}");
            let entry = |detail: &Detail| {
                let identifier = detail.identifier.as_deref().unwrap_or_default().to_owned();
                (detail.code.name(), identifier, detail.args.join(","))
            };
            problem.details.iter().map(entry).collect()
        }
        other => panic!("{query}: {other:?}"),
    }
}

fn fault(query: &str) -> (&'static str, String, String) {
    let faults = faults(query);
    match faults.as_slice() {
        [fault] => fault.clone(),
        other => panic!("{query}: {other:?}"),
    }
}
