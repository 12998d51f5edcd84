//! What both stores read for figures.

use patrol_domain::figures::{FiguresQuery, Grouping};

use crate::stored::{
    list::{Bind, Sql},
    sql::time,
};

/// The rounds that the query counts: the statement from FROM on. `published` is the test that a round is
/// published, in the form that the index of the store has.
#[must_use]
pub fn from_rounds(query: &FiguresQuery, published: &'static str) -> Sql {
    let FiguresQuery { from, to, location_id, performer_id, scheduled_task_id, .. } = query;
    let mut sql = Sql::of(&[" FROM task_executions WHERE ", published]);
    let within = [from, to].map(|at| Bind::Time(time(*at)));
    sql.fill(" AND start_at >= ? AND start_at < ?", within);
    let only = [
        (" AND location_id = ", location_id.map(Bind::id)),
        (" AND performer_id = ", performer_id.map(Bind::id)),
        (" AND scheduled_task_id = ", scheduled_task_id.map(Bind::id)),
    ];
    for (column, id) in only {
        if let Some(id) = id {
            sql.text(column);
            sql.bind(id);
        }
    }
    sql
}

/// The column with the records that rounds are grouped by, if they are.
#[must_use]
pub const fn record_column(grouping: Option<Grouping>) -> Option<&'static str> {
    match grouping {
        Some(Grouping::Location) => Some("location_id"),
        Some(Grouping::Performer) => Some("performer_id"),
        Some(Grouping::ScheduledTask) => Some("scheduled_task_id"),
        Some(Grouping::Day | Grouping::Week | Grouping::Month) | None => None,
    }
}
