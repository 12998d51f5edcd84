//! SQLite alone: the cost of the store without the program around it.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use diesel::{
    Connection, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, QueryResult,
    RunQueryDsl, SqliteConnection, connection::SimpleConnection, dsl::sql, sql_types::Text,
};
use patrol_tests::bench::{
    company,
    load::{Answered, Change},
    machine,
};

diesel::table! {
    task_executions (row) {
        row -> BigInt,
        id -> Binary,
        version -> BigInt,
        scheduled_task_id -> Binary,
        series_id -> Nullable<Binary>,
        location_id -> Binary,
        performer_id -> Nullable<Binary>,
        assignee_ids -> Binary,
        state -> Integer,
        status -> Nullable<Integer>,
        priority -> Integer,
        published -> Bool,
        order_steps_required -> Bool,
        strict_time_required -> Bool,
        deadlined -> Bool,
        edited -> Bool,
        start_at -> BigInt,
        end_at -> BigInt,
        started_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        error_count -> Integer,
        warning_count -> Integer,
        step_count -> Integer,
        executed_step_count -> Integer,
        name -> Text,
        tags -> Text,
        description -> Nullable<Text>,
        description_folded -> Nullable<Text>,
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

diesel::allow_tables_to_appear_in_same_query!(task_executions, task_execution_steps);

/// The stored code of COMPLETED.
const COMPLETED: i32 = 2;

/// The start of 2026, an hour, and the minutes of a year, the range of changed times.
const JANUARY: i64 = 1_767_225_600_000;
const HOUR: i64 = 3_600_000;
const MINUTES: u32 = 483_840;

type Bytes = Vec<u8>;
type MaybeBytes = Option<Bytes>;
type MaybeTime = Option<i64>;

/// A row with its steps, with the columns that the program reads.
#[derive(diesel::Queryable)]
#[allow(dead_code, reason = "what is read is what the program reads; nobody looks at it")]
struct Record {
    row: i64,
    id: Bytes,
    version: i64,
    references: (Bytes, MaybeBytes, Bytes, MaybeBytes, Bytes),
    ranks: (i32, i32),
    flags: (bool, bool, bool, bool, bool),
    times: (i64, i64, MaybeTime, MaybeTime),
    texts: (String, String, Option<String>),
    document: MaybeBytes,
}

/// A row of a page, with the columns that the program reads.
#[derive(diesel::Queryable)]
#[allow(dead_code, reason = "what is read is what the program reads; nobody looks at it")]
struct Summary {
    references: (Bytes, Bytes, MaybeBytes, Bytes, MaybeBytes),
    name: String,
    ranks: (i32, Option<i32>, i32),
    times: (i64, i64, MaybeTime, MaybeTime),
    flags: (bool, bool, bool),
    counts: (i32, i32, i32, i32),
}

/// A connection with the program's settings.
pub(crate) fn connect(file: &Path) -> SqliteConnection {
    let file = file.to_str().expect("the path is UTF-8");
    let mut connection = SqliteConnection::establish(file).expect("the database opens");
    let settings = "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON;
        PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA cache_size = -16384;
        PRAGMA wal_autocheckpoint = 16384;";
    connection.batch_execute(settings).expect("the settings are taken");
    connection
}

/// The version of the library, the same as in the program.
pub(crate) fn version() -> String {
    let mut connection = SqliteConnection::establish(":memory:").expect("a database in memory");
    let version = diesel::select(sql::<Text>("sqlite_version()")).get_result(&mut connection);
    version.expect("a version")
}

/// The time to count the completed executions.
pub(crate) fn count(connection: &mut SqliteConnection) -> Duration {
    let start = Instant::now();
    let completed = task_executions::table.filter(task_executions::state.eq(COMPLETED));
    let count: i64 = completed.count().get_result(connection).expect("a count");
    assert!(count > 0, "there are completed executions");
    start.elapsed()
}

/// Records per second: random reads by id with a prepared statement in a loop, one thread for each
/// core.
pub(crate) fn reads(file: &Path, ids: &[Bytes], time: Duration) -> Answered {
    in_loops(file, time, |connection, at| {
        use task_executions as it;

        let id = &ids[at % ids.len()];
        let found: Record = it::table
            .left_join(task_execution_steps::table.on(task_execution_steps::row.eq(it::row)))
            .filter(it::id.eq(id))
            .select((
                it::row,
                it::id,
                it::version,
                (
                    it::scheduled_task_id,
                    it::series_id,
                    it::location_id,
                    it::performer_id,
                    it::assignee_ids,
                ),
                (it::state, it::priority),
                (
                    it::published,
                    it::order_steps_required,
                    it::strict_time_required,
                    it::deadlined,
                    it::edited,
                ),
                (it::start_at, it::end_at, it::started_at, it::ended_at),
                (it::name, it::tags, it::description),
                task_execution_steps::document.nullable(),
            ))
            .first(connection)
            .expect("a record");
        assert!(found.document.is_some(), "it has steps");
    })
}

/// Pages per second, in the same way: the latest 50 completed executions of a location, without a
/// count.
pub(crate) fn pages(file: &Path, location: &Bytes, time: Duration) -> Answered {
    in_loops(file, time, |connection, _| {
        use task_executions as it;

        let rows: Vec<Summary> = it::table
            .filter(it::location_id.eq(location))
            .filter(it::state.eq(COMPLETED))
            .order((it::start_at.desc(), it::id.asc()))
            .limit(50)
            .select((
                (it::id, it::scheduled_task_id, it::performer_id, it::assignee_ids, it::series_id),
                it::name,
                (it::state, it::status, it::priority),
                (it::start_at, it::end_at, it::started_at, it::ended_at),
                (it::deadlined, it::published, it::edited),
                (it::error_count, it::warning_count, it::step_count, it::executed_step_count),
            ))
            .load(connection)
            .expect("a page");
        assert!(!rows.is_empty(), "it has rows");
    })
}

fn in_loops(
    file: &Path,
    time: Duration,
    once: impl Fn(&mut SqliteConnection, usize) + Sync,
) -> Answered {
    let rates = thread::scope(|scope| {
        let thread = |number: usize| {
            let once = &once;
            scope.spawn(move || {
                let mut connection = connect(file);
                let start = Instant::now();
                let mut done = 0_u32;
                while start.elapsed() < time {
                    let at = company::spread(done, u32::MAX) as usize;
                    once(&mut connection, at.wrapping_add(number));
                    done += 1;
                }
                f64::from(done) / start.elapsed().as_secs_f64()
            })
        };
        let threads: Vec<_> = (0..machine::cores()).map(thread).collect();
        threads.into_iter().map(|it| it.join().expect("the loop ends")).collect::<Vec<_>>()
    });
    Answered::at(rates.iter().sum())
}

/// Changes per second, one transaction each: read the record and its steps by id, store the changed
/// columns; the triggers of the schema update the search. The program does more than this for a
/// change.
pub(crate) fn changes(
    connection: &mut SqliteConnection,
    ids: &[Bytes],
    what: Change,
    time: Duration,
) -> Answered {
    let start = Instant::now();
    let mut done = 0_u32;
    while start.elapsed() < time {
        let at = company::spread(done, u32::MAX) as usize % ids.len();
        change(connection, &ids[at], what, done).expect("a change");
        done += 1;
    }
    Answered::at(f64::from(done) / start.elapsed().as_secs_f64())
}

fn change(
    connection: &mut SqliteConnection,
    id: &[u8],
    what: Change,
    number: u32,
) -> QueryResult<()> {
    connection.batch_execute("BEGIN IMMEDIATE")?;
    let (row, version): (i64, i64) = task_executions::table
        .filter(task_executions::id.eq(id))
        .select((task_executions::row, task_executions::version))
        .first(connection)?;
    let _steps: Bytes = task_execution_steps::table
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

/// The ids in a file, in stored form.
pub(crate) fn ids(file: &Path) -> Vec<Bytes> {
    fs::read_to_string(file).expect("the ids").lines().map(id).collect()
}

/// An id in stored form.
pub(crate) fn id(id: &str) -> Bytes {
    let digits: Vec<char> = id.chars().filter(|c| *c != '-').collect();
    let bytes = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("digits"));
    bytes.collect()
}
