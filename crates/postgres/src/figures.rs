//! Figures on PostgreSQL, which groups and counts.

use diesel::{
    QueryResult,
    result::Error,
    sql_types::{Array, BigInt, Nullable},
};
use futures_util::TryStreamExt as _;
use patrol_domain::{
    Timestamp,
    figures::{Figures, FiguresQuery, Grouping, Groups},
    ids::Uuid,
    schedule::{LocalDate, UtcOffset},
    task_execution::EARLY_START_MILLIS,
};
use patrol_repository::stored::{
    figures::{from_rounds, record_column},
    sql::{Id, time, types},
};

use crate::{
    engine::JobConnection,
    list::{Bind, Select, Sql},
};

type Columns = (Nullable<BigInt>, Nullable<types::Id>, Array<BigInt>);

type Group = (Option<i64>, Option<Id>, Vec<i64>);

/// Keeps the transaction to one core: figures that use all of them hold up the reads beside them. Not every
/// engine has the setting.
const ALONE: &str = "SELECT set_config('max_parallel_workers_per_gather', '0', true) \
    WHERE current_setting('max_parallel_workers_per_gather', true) IS NOT NULL";

/// Adds the groups of the query to `groups`.
pub(crate) async fn add_rounds(
    conn: &JobConnection<'_>,
    query: &FiguresQuery,
    groups: &mut Groups,
) -> QueryResult<()> {
    conn.0.batch(ALONE).await?;
    let mut sql = Sql::of(&["SELECT "]);
    match query.grouping {
        Some(Grouping::Day | Grouping::Week | Grouping::Month) => {
            let offsets = query.time_zone.offsets(query.from, query.to);
            // Floats are exact to a millisecond here.
            sql.text("floor((date_part('epoch', start_at) + ");
            offset(&mut sql, offsets.first, &offsets.later);
            sql.text(") / 86400)::bigint");
        }
        Some(Grouping::Location | Grouping::Performer | Grouping::ScheduledTask) | None => {
            sql.text("NULL::bigint");
        }
    }
    sql.texts(&[", ", record_column(query.grouping).unwrap_or("NULL::uuid"), ", "]);
    measures(&mut sql, query);
    sql.append(&from_rounds(query, "published"));
    sql.text(" GROUP BY 1, 2");
    let mut rows = <Columns as Select<Group>>::rows(sql, conn.0).await?;
    while let Some((day, record, sums)) = rows.try_next().await? {
        let record = match record.map(|record| record.get::<Uuid>()) {
            Some(None) => {
                return Err(Error::DeserializationError("an id has not 16 bytes".into()));
            }
            // A round without a scheduled task has the nil UUID.
            Some(Some(record)) => Some(record).filter(|record| !record.is_nil()),
            None => None,
        };
        groups.add(day.map(LocalDate::from_days), record, figures(sums)?);
    }
    Ok(())
}

/// Appends the offset of the zone at `start_at`, in seconds, from the changes of the offset, which are
/// halved until none is left.
fn offset(sql: &mut Sql, first: UtcOffset, later: &[(Timestamp, UtcOffset)]) {
    let (before, after) = later.split_at(later.len() / 2);
    let Some(((at, from_then), after)) = after.split_first() else {
        sql.bind(Bind::Integer(first.0.into()));
        return;
    };
    sql.fill("CASE WHEN start_at < ? THEN ", [Bind::Time(time(*at))]);
    offset(sql, first, before);
    sql.text(" ELSE ");
    offset(sql, *from_then, after);
    sql.text(" END");
}

/// Appends the sums of a group, in the order of [`Figures::sums`]. Each state has its own times: a round that
/// has started has `started_at`, a COMPLETED one `ended_at`.
fn measures(sql: &mut Sql, query: &FiguresQuery) {
    let late_after = Bind::Integer(query.moment.punctuality.late_after_millis());
    let now = Bind::Time(time(query.moment.now));
    let early_start = Bind::Integer(-EARLY_START_MILLIS);
    sql.fill(
        "ARRAY[count(*), count(ended_at), count(*) FILTER (WHERE \
            ended_at - end_at <= ? * interval '1 millisecond' AND started_at - start_at \
            BETWEEN ? * interval '1 millisecond' AND ? * interval '1 millisecond'), \
        count(*) FILTER (WHERE coalesce(started_at, ?) - start_at > ? * interval '1 millisecond'), \
        count(*) FILTER (WHERE ended_at IS NULL AND end_at < ?), \
        count(started_at) - count(ended_at), sum(step_count), sum(executed_step_count), \
        sum(error_count), sum(warning_count), sum(flag_count), \
        coalesce((extract(epoch FROM sum(ended_at - started_at)) * 1000)::bigint, 0)]",
        [late_after.clone(), early_start, late_after.clone(), now.clone(), late_after, now],
    );
}

/// The figures of a group. `ended_at` is null unless the round is COMPLETED.
fn figures(sums: Vec<i64>) -> QueryResult<Figures> {
    let sums: [i64; 12] =
        sums.try_into().map_err(|_| Error::DeserializationError("not 12 sums".into()))?;
    let mut figures = Figures::default();
    for (figure, sum) in figures.sums().into_iter().zip(sums) {
        *figure = sum;
    }
    Ok(figures)
}
