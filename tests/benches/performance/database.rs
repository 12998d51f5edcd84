//! SQLite by itself: what the store would cost without the program around it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use diesel::{
    Connection, ExpressionMethods, QueryDsl, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
};

use crate::company;

diesel::table! {
    task_executions (row) {
        row -> BigInt,
        id -> Binary,
        version -> BigInt,
        state -> Integer,
        start_at -> BigInt,
        end_at -> BigInt,
        description -> Text,
        description_folded -> Text,
    }
}

diesel::table! {
    task_execution_steps (row) {
        row -> BigInt,
        document -> Binary,
    }
}

diesel::table! {
    revision (aggregate) {
        aggregate -> Text,
        changes -> BigInt,
    }
}

/// The rank of COMPLETED.
const COMPLETED: i32 = 2;

/// The beginning of 2026, an hour, and the minutes of a year, as far as records are moved.
const JANUARY: i64 = 1_767_225_600_000;
const HOUR: i64 = 3_600_000;
const MINUTES: u32 = 483_840;

/// A connection with the settings of the program's own.
pub(crate) fn connect(file: &Path) -> SqliteConnection {
    let file = file.to_str().expect("the path is UTF-8");
    let mut connection = SqliteConnection::establish(file).expect("the database opens");
    let settings = "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;
        PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA cache_size = -16384;
        PRAGMA wal_autocheckpoint = 1000;";
    connection.batch_execute(settings).expect("the settings are taken");
    connection
}

/// How long it takes to count the completed executions.
pub(crate) fn count(connection: &mut SqliteConnection) -> Duration {
    let start = Instant::now();
    let completed = task_executions::table.filter(task_executions::state.eq(COMPLETED));
    let count: i64 = completed.count().get_result(connection).expect("a count");
    assert!(count > 0, "there are completed executions");
    start.elapsed()
}

/// What is changed in a record.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// Its times, which are in five indexes.
    Times,
    /// Its description, which is in none.
    Description,
}

/// Changes a second, with a transaction each: read the record and its steps by id, store what is
/// other. Less than the program does for the same.
pub(crate) fn changes(
    connection: &mut SqliteConnection,
    ids: &[Vec<u8>],
    what: Change,
    time: Duration,
) -> f64 {
    let start = Instant::now();
    let mut done = 0_u32;
    while start.elapsed() < time {
        let at = usize::try_from(company::spread(done, u32::MAX)).expect("a number") % ids.len();
        change(connection, &ids[at], what, done).expect("a change");
        done += 1;
    }
    f64::from(done) / start.elapsed().as_secs_f64()
}

fn change(
    connection: &mut SqliteConnection,
    id: &[u8],
    what: Change,
    number: u32,
) -> diesel::QueryResult<()> {
    connection.batch_execute("BEGIN IMMEDIATE")?;
    let (row, version): (i64, i64) = task_executions::table
        .filter(task_executions::id.eq(id))
        .select((task_executions::row, task_executions::version))
        .first(connection)?;
    let _steps: Vec<u8> = task_execution_steps::table
        .find(row)
        .select(task_execution_steps::document)
        .first(connection)?;
    let record = diesel::update(task_executions::table.find(row));
    let version = task_executions::version.eq(version + 1);
    match what {
        Change::Times => {
            let start = JANUARY + i64::from(company::spread(number, MINUTES)) * 60_000;
            let (start, end) =
                (task_executions::start_at.eq(start), task_executions::end_at.eq(start + HOUR));
            record.set((start, end, version)).execute(connection)?;
        }
        Change::Description => {
            let text = format!("look at gate {number}");
            let description = task_executions::description.eq(&text);
            let folded = task_executions::description_folded.eq(&text);
            record.set((description, folded, version)).execute(connection)?;
        }
    }
    diesel::update(revision::table.find("task_execution"))
        .set(revision::changes.eq(revision::changes + 1))
        .execute(connection)?;
    connection.batch_execute("COMMIT")
}
