//! How often each aggregate was changed (architecture 7).

use diesel::{ExpressionMethods, QueryDsl, QueryResult, RunQueryDsl, SqliteConnection};

use crate::{schema::revision, update};

/// What is changed as a whole; the key of its row in `revision`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Aggregate {
    CheckList,
    Location,
    Point,
    ScheduledTask,
    TaskExecution,
    Token,
    User,
}

impl Aggregate {
    const fn key(self) -> &'static str {
        match self {
            Self::CheckList => "check_list",
            Self::Location => "location",
            Self::Point => "point",
            Self::ScheduledTask => "scheduled_task",
            Self::TaskExecution => "task_execution",
            Self::Token => "token",
            Self::User => "user",
        }
    }
}

/// Notes, in the transaction of a change, that `aggregate` is changed.
pub(crate) fn raise(conn: &mut SqliteConnection, aggregate: Aggregate) -> QueryResult<()> {
    let row = revision::aggregate.eq(aggregate.key());
    let raised = revision::changes.eq(revision::changes + 1);
    update::set(revision::table, row, raised).execute(conn)?;
    Ok(())
}

/// How often `aggregate` has been changed, in the snapshot that `conn` reads.
pub(crate) fn changes(conn: &mut SqliteConnection, aggregate: Aggregate) -> QueryResult<i64> {
    revision::table.find(aggregate.key()).select(revision::changes).first(conn)
}
