//! The program's SQL as pgbench scripts.

use patrol_test_servers::postgres::query;
use patrol_tests::bench::{
    company,
    load::Change,
    store::{PICKED, step},
};

/// The columns of an execution for a read by id.
const RECORD: &str = "id, version, scheduled_task_id, series_id, location_id, performer_id, \
    assignee_ids, state, priority, published, order_steps_required, strict_time_required, \
    deadlined, edited, start_at, end_at, started_at, ended_at, name, tags, description, steps";

/// The columns of an execution for a list.
const SUMMARY: &str = "id, scheduled_task_id, performer_id, assignee_ids, name, state, started_at, \
    ended_at, status, start_at, end_at, error_count, warning_count, priority, series_id, \
    deadlined, published, edited, step_count, executed_step_count";

/// The id of the chosen execution.
const ID: &str = "('0190a000-0005-7000-8000-' || lpad(to_hex(:n::integer), 12, '0'))::uuid";

/// Counts the completed executions.
const COUNT: &str = "SELECT count(*) FROM task_executions WHERE state = 2";

/// Reads one of the completed executions of the load generator.
pub(crate) fn read(executions: u32) -> String {
    let pick = pick(executions, ":state < 75", 5);
    format!("{pick}SELECT {RECORD} FROM task_executions WHERE id = {ID};\n")
}

/// Reads the latest 50 completed executions of a location, without their count.
pub(crate) fn page() -> String {
    let location = company::location_id(1);
    let (before, number) = location.split_at(location.len() - 12);
    let number = u32::from_str_radix(number, 16).expect("a number");
    format!(
        "\\set location {number}\n\\set state 2\n\\set most 50\n\
         SELECT {SUMMARY} FROM task_executions WHERE location_id = \
         ('{before}' || lpad(to_hex(:location::integer), 12, '0'))::uuid \
         AND state = :state::smallint ORDER BY start_at DESC, id LIMIT :most::bigint;\n"
    )
}

/// Changes one of the planned executions of the load generator.
pub(crate) fn change(executions: u32, what: Change) -> String {
    // One in five executions is planned.
    let pick = pick(executions, ":state >= 80", 16);
    let set = match what {
        Change::Times => {
            "start_at = '2026-01-01Z'::timestamptz + :value::integer * interval '1 minute', \
             end_at = '2026-01-01T01:00Z'::timestamptz + :value::integer * interval '1 minute'"
        }
        Change::Description => {
            "description = 'Look at gate ' || :value::text, \
             description_folded = 'look at gate ' || :value::text"
        }
    };
    format!(
        "{pick}\\set value random(0, 483839)\nBEGIN;\n\
         SELECT {RECORD} FROM task_executions WHERE id = {ID} FOR UPDATE;\n\
         UPDATE task_executions SET version = version + 1, {set} WHERE id = {ID};\nCOMMIT;\n"
    )
}

/// Sets `n` to the number of a wanted execution, if one is found in this number of tries. The data
/// set distributes its states in the same way.
fn pick(executions: u32, is_wanted: &str, tries: usize) -> String {
    let step = step(executions);
    let last = (executions / step).min(PICKED) - 1;
    let once = format!(
        "\\set at random(0, {last})\n\\set n :at * {step} + :at % {step}\n\
         \\set state :n * 2654435761 % 4294967296 % 100\n"
    );
    let again = format!("\\if not ({is_wanted})\n{once}\\endif\n");
    once + &again.repeat(tries)
}

/// The time to count the completed executions, in milliseconds, by the server's clock.
pub(crate) fn count(url: &str) -> f64 {
    let now = "SELECT extract(epoch FROM clock_timestamp()) * 1000";
    // EXPLAIN first, so that a new session has loaded the table's metadata before the measurement.
    let told = query(url, &format!("EXPLAIN {COUNT}; {now}; {COUNT}; {now}"));
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let [start, counted, end] = told[told.len() - 3..].iter().map(number).collect::<Vec<_>>()[..]
    else {
        panic!("{told:?}")
    };
    assert!(counted > 0.0, "there are completed executions");
    end - start
}
