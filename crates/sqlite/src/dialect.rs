//! What the ports of `patrol-repository` do in SQLite's own way.

use diesel::{prelude::*, result::Error::NotFound};
use patrol_domain::{
    Resource, Timestamp, Version, Versioned,
    check_list::CheckList,
    event::EventFilter,
    figures::{FiguresQuery, Groups},
    ids::TokenId,
    list::Condition,
    task_execution::TaskExecution,
};
use patrol_repository::{
    Dialect,
    stored::{
        check_list::ActionColumns,
        link::Linked,
        list::{Bind, Sql, Text},
        point::HistoryColumns,
        schema::{check_list_actions, point_history, tokens},
        sql::{id, time},
        statement::update,
    },
};

use crate::{
    engine::{Abort, JobConnection},
    event, figures, link, revision,
    row::{last_inserted, row_of},
    task_execution,
};

/// There is one writer, so nothing has to be locked.
impl Dialect for JobConnection<'_> {
    const NOW: &'static str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    const HAS_ARRAYS: bool = false;

    fn text(text: Text) -> &'static str {
        text.sqlite
    }

    async fn raise_revision(&self, kind: Resource, changes: i64) -> QueryResult<()> {
        self.with(|conn| revision::raise_by(conn, kind, changes))
    }

    async fn add_rounds(&self, query: &FiguresQuery, groups: &mut Groups) -> QueryResult<()> {
        self.with(|conn| figures::add_rounds(conn, query, groups))
    }

    async fn newest_event(&self) -> QueryResult<i64> {
        self.with(revision::newest_event)
    }

    fn event_parts(condition: &Condition<EventFilter>, range: (i64, i64)) -> Vec<(i64, i64)> {
        event::parts(condition, range)
    }

    fn event_filter(condition: &Condition<EventFilter>, range: (i64, i64)) -> Sql {
        event::filter(condition, range)
    }

    async fn link<T: Linked>(&self, old: Option<&T>, new: Option<&T>) -> QueryResult<()> {
        self.with(|conn| link::replace_of(conn, old, new))
    }

    async fn insert_point_history(
        &self,
        records: Vec<(HistoryColumns<'_>, &[String])>,
    ) -> QueryResult<()> {
        self.with(|conn| {
            for (record, tags) in records {
                diesel::insert_into(point_history::table).values(record).execute(conn)?;
                let row = last_inserted(conn)?;
                for tag in tags {
                    link::add(conn, "point_history_tags", [(Bind::Text(tag.clone()), row)])?;
                }
            }
            Ok(())
        })
    }

    /// Inserted in order: the keys of the rows give the actions their order.
    async fn insert_actions(&self, list: &CheckList) -> QueryResult<()> {
        if list.actions.is_empty() {
            return Ok(());
        }
        self.with(|conn| {
            let row = row_of(conn, Resource::CheckList, list.id.0)?.ok_or(NotFound)?;
            for action in &list.actions {
                diesel::insert_into(check_list_actions::table)
                    .values((check_list_actions::check_list_row.eq(row), ActionColumns::of(action)))
                    .execute(conn)?;
            }
            Ok(())
        })
    }

    async fn touch_tokens(&self, uses: &[(TokenId, Timestamp)]) -> QueryResult<()> {
        self.with(|conn| {
            for (token, at) in uses {
                let at = time(*at);
                let is_later = tokens::last_used_at.is_null().or(tokens::last_used_at.lt(at));
                let same = tokens::id.eq(id(*token)).and(is_later);
                update(tokens::table, same, tokens::last_used_at.eq(at)).execute(conn)?;
            }
            Ok(())
        })
    }

    async fn insert_executions<E: Send>(
        &self,
        new: &[&TaskExecution],
        version: Version,
    ) -> Result<(), Abort<E>> {
        self.with(|conn| task_execution::insert(conn, new, version))
    }

    async fn replace_execution<E: Send>(
        &self,
        old: &Versioned<TaskExecution>,
        new: &TaskExecution,
    ) -> Result<(), Abort<E>> {
        self.with(|conn| task_execution::replace(conn, old, new))
    }

    async fn remove_execution(&self, old: &TaskExecution) -> QueryResult<Option<i64>> {
        self.with(|conn| task_execution::remove(conn, old))
    }
}
