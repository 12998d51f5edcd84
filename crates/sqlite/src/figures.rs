//! Figures on SQLite. Rounds are read and counted here, because SQLite would sort all rows to group them.

use diesel::{
    QueryResult, SqliteConnection,
    result::Error,
    sql_types::{BigInt, Integer, Nullable},
};
use patrol_domain::{
    Timestamp,
    figures::{CountedRound, Figures, FiguresQuery, Grouping, Groups},
    ids::Uuid,
    task_execution::{Progress, State, Timing},
};
use patrol_repository::stored::{
    figures::{from_rounds, record_column},
    sql::{Id, types},
};

use crate::list::{Select, Sql};

type Columns = (
    Nullable<types::Id>,
    BigInt,
    BigInt,
    Nullable<BigInt>,
    Nullable<BigInt>,
    Integer,
    Integer,
    Integer,
    Integer,
    Integer,
);

type Round = (Option<Id>, i64, i64, Option<i64>, Option<i64>, i32, i32, i32, i32, i32);

/// All columns are in the index `task_executions_by_figures`.
const MEASURES: &str = ", start_at, end_at, started_at, ended_at, step_count, \
    executed_step_count, error_count, warning_count, flag_count";

/// Adds the rounds of the query to `groups`.
pub(crate) fn add_rounds(
    conn: &mut SqliteConnection,
    query: &FiguresQuery,
    groups: &mut Groups,
) -> QueryResult<()> {
    let offsets = match query.grouping {
        Some(Grouping::Day | Grouping::Week | Grouping::Month) => {
            Some(query.time_zone.offsets(query.from, query.to))
        }
        Some(Grouping::Location | Grouping::Performer | Grouping::ScheduledTask) | None => None,
    };
    for row in <Columns as Select<Round>>::rows(rounds(query), conn)? {
        let (record, round) = counted(row?)?;
        let day = offsets.as_ref().map(|offsets| offsets.date(round.timing.start_at));
        groups.add(day, record, Figures::of(round, query.moment));
    }
    Ok(())
}

/// The rounds that the query counts.
pub(crate) fn rounds(query: &FiguresQuery) -> Sql {
    let mut sql = Sql::of(&["SELECT ", record_column(query.grouping).unwrap_or("NULL"), MEASURES]);
    sql.append(&from_rounds(query, "published = 1"));
    sql
}

/// The record that the round is grouped by, and what is counted.
fn counted(row: Round) -> QueryResult<(Option<Uuid>, CountedRound)> {
    let (record, start_at, end_at, started_at, ended_at, steps, executed_steps, ..) = row;
    let (.., error_count, warning_count, flag_count) = row;
    let time = |millis| Timestamp::from_millis(millis).ok_or_else(corrupt);
    let (started_at, ended_at) =
        (started_at.map(time).transpose()?, ended_at.map(time).transpose()?);
    // Each state has its own times.
    let state = match (started_at, ended_at) {
        (None, _) => State::Pending,
        (Some(_), None) => State::InProgress,
        (Some(_), Some(_)) => State::Completed,
    };
    let progress = Progress::from_parts(state, started_at, ended_at).ok_or_else(corrupt)?;
    let timing =
        Timing { published: true, progress, start_at: time(start_at)?, end_at: time(end_at)? };
    let record = match record {
        Some(record) => Some(record.get::<Uuid>().ok_or_else(corrupt)?),
        None => None,
    };
    let round =
        CountedRound { timing, steps, executed_steps, error_count, warning_count, flag_count };
    // A round without a scheduled task has the nil UUID.
    Ok((record.filter(|record| !record.is_nil()), round))
}

fn corrupt() -> Error {
    Error::DeserializationError("a round cannot be counted: a time or an id is not valid".into())
}
