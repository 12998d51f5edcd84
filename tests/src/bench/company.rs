//! The data set: a company with many locations, and a year of rounds. Always the same.

use std::io::{self, Write};

use crate::{action_id, execution_id, series_of, step_id};

/// An administrator.
pub const ADMIN: &str = "0190b000-0001-7000-8000-000000000000";

/// The number of a completed execution.
pub const COMPLETED: u32 = 101;

/// The number of executions of the first location, all completed: less than a page, so that nothing
/// has to be counted.
pub const FEW: u32 = 49;

/// A word that occurs only in the description of one in [`RARE_IN`] executions.
pub const RARE: &str = "gasleak";

/// A word that occurs nowhere.
pub const ABSENT: &str = "zeppelin";

/// A word in the name of every execution.
pub const BROAD: &str = "обход";

/// One in this number of executions has the rare word.
const RARE_IN: u32 = 50_000;

/// The position of the execution with the rare word; not the first, so that a search has to
/// continue for a while.
const RARE_AT: u32 = 777;

const LOCATIONS: u32 = 100;
const POINTS: u32 = 5;
const USERS: u32 = 200;
const TASKS: u32 = 20;
const ACTIONS: u32 = 3;

/// Minutes of a month of 28 days.
const MONTH: u32 = 28 * 24 * 60;

/// Minutes of a year of such months.
const YEAR: u32 = 12 * MONTH;

/// The id of a location.
pub fn location_id(n: u32) -> String {
    format!("0190b000-0002-7000-8000-{n:012x}")
}

/// The id of a user.
pub fn user_id(n: u32) -> String {
    format!("0190b000-0001-7000-8000-{n:012x}")
}

/// The id of a point of a location.
pub fn point_id(location: u32, n: u32) -> String {
    format!("0190b000-0003-7000-8{n:03x}-{location:012x}")
}

/// The id of a scheduled task.
pub fn task_id(n: u32) -> String {
    format!("0190b000-0004-7000-8000-{n:012x}")
}

/// Scatters numbers, so that neighbours differ.
pub fn spread(n: u32, among: u32) -> u32 {
    n.wrapping_mul(2_654_435_761) % among
}

/// Three in four are completed, one in twenty is in progress, the others are planned.
fn state(n: u32) -> u32 {
    if n < FEW { 0 } else { spread(n, 100) }
}

/// Whether execution `n` is completed.
pub fn is_completed(n: u32) -> bool {
    state(n) < 75
}

/// Whether execution `n` is planned.
pub fn is_pending(n: u32) -> bool {
    state(n) >= 80
}

/// Whether people see execution `n`.
pub fn is_published(n: u32) -> bool {
    !spread(n, 1_000).is_multiple_of(33)
}

/// The number of the user who performs execution `n`, from 1.
pub fn performer(n: u32) -> u32 {
    1 + spread(n, USERS - 1)
}

/// Writes a company with this number of executions as a data set.
///
/// # Errors
/// When `out` fails.
pub fn write(executions: u32, out: &mut impl Write) -> io::Result<()> {
    for n in 0..USERS {
        let role = if n == 0 { "ADMIN" } else { "EMPLOYEE" };
        writeln!(
            out,
            r#"{{"kind":"user","id":"{}","firstName":"Ada","lastName":"Ash {n}","employeeNo":"E{n}","language":"en","role":"{role}","status":"ACTIVE"}}"#,
            user_id(n),
        )?;
    }
    for n in 0..LOCATIONS {
        let id = location_id(n);
        writeln!(
            out,
            r#"{{"kind":"location","id":"{id}","name":"Склад {n}","address":"{n} Quay Rd"}}"#
        )?;
        for at in 0..POINTS {
            writeln!(
                out,
                r#"{{"kind":"point","id":"{}","locationId":"{id}","name":"Gate {at}","type":"VIRTUAL"}}"#,
                point_id(n, at),
            )?;
        }
    }
    for n in 0..TASKS {
        let id = task_id(n);
        writeln!(out, r#"{{"kind":"scheduledTask","id":"{id}","name":"Night round {n}"}}"#)?;
    }
    (0..executions).try_for_each(|n| write_execution(n, out))
}

fn write_execution(n: u32, out: &mut impl Write) -> io::Result<()> {
    let location = if n < FEW { 0 } else { 1 + spread(n / 3, LOCATIONS - 1) };
    let start = spread(n / 2, YEAR - 120);
    let user = user_id(performer(n));
    let (state, steps_done) = match state(n) {
        0..75 => ("COMPLETED", 5),
        75..80 => ("IN_PROGRESS", 2),
        _ => ("PENDING", 0),
    };
    write!(
        out,
        r#"{{"kind":"taskExecution","id":"{}","scheduledTaskId":"{}","seriesId":"{}","name":"Ночной обход {}","description":"{}","locationId":"{}","assigneeIds":["{user}"],"state":"{state}","published":{},"startAt":"{}","endAt":"{}","priority":"{}","tags":["night","hall {}"{}]"#,
        execution_id(n),
        task_id(n % TASKS),
        series_of(n / 100),
        n % 500,
        description(n),
        location_id(location),
        is_published(n),
        time(start),
        time(start + 60),
        if n.is_multiple_of(4) { "MAJOR" } else { "NORMAL" },
        n % 9,
        rare_tags(n, start),
    )?;
    if steps_done > 0 {
        write!(out, r#","performerId":"{user}","startedAt":"{}""#, time(start + 2))?;
    }
    if state == "COMPLETED" {
        write!(out, r#","endedAt":"{}""#, time(start + 45))?;
    }
    write!(out, r#","steps":["#)?;
    for step in 0..POINTS {
        let comma = if step == 0 { "" } else { "," };
        let (id, point) = (step_id(n, step), point_id(location, step));
        write!(
            out,
            r#"{comma}{{"id":"{id}","pointId":"{point}","name":"Gate {step}","order":{step}"#
        )?;
        let is_done = step < steps_done;
        if is_done {
            write!(out, r#","state":"COMPLETED","actualOrder":{step}"#)?;
        }
        write!(out, r#","actions":["#)?;
        for action in 0..ACTIONS {
            write_action(n, step, action, is_done, out)?;
        }
        write!(out, "]}}")?;
    }
    writeln!(out, "]}}")
}

/// More tags: of one in 100 executions, of one in 2,000, and of all that start in one month.
fn rare_tags(n: u32, start: u32) -> String {
    let mut tags = String::new();
    for (tag, is_tagged) in [
        ("audit", n % 100 == 3),
        ("rare", n % 2_000 == 9),
        ("season", (MONTH..2 * MONTH).contains(&start)),
    ] {
        if is_tagged {
            tags.push_str(&format!(",\"{tag}\""));
        }
    }
    tags
}

fn description(n: u32) -> String {
    let usual = "Along the fence, then the halls";
    if n % RARE_IN == RARE_AT { format!("{usual}; mind the {RARE}") } else { usual.to_owned() }
}

fn write_action(n: u32, step: u32, at: u32, is_done: bool, out: &mut impl Write) -> io::Result<()> {
    let comma = if at == 0 { "" } else { "," };
    let id = action_id(n, step * ACTIONS + at);
    let (what, value) = match at {
        0 => (
            r#""name":"Door closed","type":"BOOLEAN","required":true"#,
            format!(r#""booleanValue":{}"#, !spread(n, 97).is_multiple_of(10)),
        ),
        1 => (
            r#""name":"Pressure","type":"NUMBER","required":false,"minValue":1,"maxValue":2.5"#,
            // One in 13 is out of bounds.
            format!(r#""numberValue":{}.{}"#, if n.is_multiple_of(13) { 3 } else { 1 }, 1 + n % 9),
        ),
        _ => (
            r#""name":"Remarks","type":"TEXT","required":false"#,
            r#""textValue":"nothing to report""#.to_owned(),
        ),
    };
    write!(out, r#"{comma}{{"id":"{id}",{what},"order":{at}"#)?;
    if is_done {
        write!(out, r#","state":"COMPLETED",{value}"#)?;
    }
    write!(out, "}}")
}

fn time(minute: u32) -> String {
    let (hour, day) = (minute / 60, minute / 1440);
    let (month, day) = (1 + day / 28, 1 + day % 28);
    format!("2026-{month:02}-{day:02}T{:02}:{:02}:00.000Z", hour % 24, minute % 60)
}
