//! SQLite by itself: what the store would cost without the program around it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use diesel::{
    Connection, ExpressionMethods, QueryDsl, RunQueryDsl, SqliteConnection,
    connection::SimpleConnection,
};

diesel::table! {
    task_executions (row) {
        row -> BigInt,
        id -> Binary,
        version -> BigInt,
        state -> Integer,
        start_at -> BigInt,
        end_at -> BigInt,
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

/// The settings of the program's own connections.
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

/// Changes a second, with a transaction each: read the record and its steps by id, store other
/// times.
pub(crate) fn changes(connection: &mut SqliteConnection, ids: &[Vec<u8>], time: Duration) -> f64 {
    let start = Instant::now();
    let mut done = 0_u32;
    while start.elapsed() < time {
        let at = usize::try_from(done).expect("a number") * 7919 % ids.len();
        change(connection, &ids[at], i64::from(done)).expect("a change");
        done += 1;
    }
    f64::from(done) / start.elapsed().as_secs_f64()
}

fn change(connection: &mut SqliteConnection, id: &[u8], time: i64) -> diesel::QueryResult<()> {
    connection.batch_execute("BEGIN IMMEDIATE")?;
    let (row, version): (i64, i64) = task_executions::table
        .filter(task_executions::id.eq(id))
        .select((task_executions::row, task_executions::version))
        .first(connection)?;
    let _steps: Vec<u8> = task_execution_steps::table
        .find(row)
        .select(task_execution_steps::document)
        .first(connection)?;
    // Minutes of 2026, each time others.
    let start = 1_767_225_600_000 + time % 483_840 * 60_000;
    diesel::update(task_executions::table.find(row))
        .set((
            task_executions::start_at.eq(start),
            task_executions::end_at.eq(start + 3_600_000),
            task_executions::version.eq(version + 1),
        ))
        .execute(connection)?;
    diesel::update(revision::table.find("task_execution"))
        .set(revision::changes.eq(revision::changes + 1))
        .execute(connection)?;
    connection.batch_execute("COMMIT")
}
