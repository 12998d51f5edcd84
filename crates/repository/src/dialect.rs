//! What each database does in its own way.

use std::future::Future;

use diesel::QueryResult;
use patrol_domain::{
    Resource, Timestamp, Version, Versioned,
    check_list::CheckList,
    event::EventFilter,
    ids::{TaskExecutionId, TokenId, UserId, Uuid},
    list::Condition,
    location::Location,
    scheduled_task::ScheduledTask,
    sign_in::Attempt,
    task_execution::TaskExecution,
    user::User,
};
use patrol_stored::{
    Abort,
    aggregate::Aggregate,
    event::Written,
    list::{Sql, Text},
    point::HistoryWritten,
    statement::Lock,
};

use crate::connection::Connection;

/// A connection, with everything that its database does in its own way.
pub trait Dialect: Connection {
    /// The time of the database as an SQL expression, in milliseconds since 1970.
    const NOW: &'static str;

    /// Whether the row of a record has columns for its sets, such as `users.location_ids`. Otherwise
    /// they are rows of their own, which [`Self::link_user`] and [`Self::link_task`] store.
    const HAS_ARRAYS: bool;

    /// The form of a text for this database.
    fn text(text: Text) -> &'static str;

    /// Counts changes in the revision of an aggregate, on a database whose lists need it.
    ///
    /// # Errors
    /// Those of the database.
    fn raise_revision(
        &self,
        _aggregate: Aggregate,
        _changes: i64,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Stores events, at most as many as one [`Portion`](patrol_stored::event::Portion) has.
    ///
    /// # Errors
    /// Those of the database.
    fn insert_events(&self, events: Vec<Written>) -> impl Future<Output = QueryResult<()>> + Send;

    /// The position up to which all events are committed; 0 without any.
    ///
    /// # Errors
    /// Those of the database.
    fn newest_event(&self) -> impl Future<Output = QueryResult<i64>> + Send;

    /// The positions of each search for the events of a page, first and last. A page may end before the
    /// last position of `range`, if this database would search too long.
    fn event_parts(_condition: &Condition<EventFilter>, range: (i64, i64)) -> Vec<(i64, i64)> {
        vec![range]
    }

    /// The condition on events with positions from the first to the last of `range`.
    fn event_filter(condition: &Condition<EventFilter>, range: (i64, i64)) -> Sql;

    /// Locks the row of a record. Returns false when it found none. The next statement sees what was
    /// committed while this one waited.
    ///
    /// # Errors
    /// Those of the database.
    fn lock_row(
        &self,
        _kind: Resource,
        _id: Uuid,
        _lock: Lock,
    ) -> impl Future<Output = QueryResult<bool>> + Send {
        async { Ok(true) }
    }

    /// Locks these users until the end of the transaction; with `admins` also all active
    /// administrators, so that of two changes that together would leave none only one succeeds.
    ///
    /// # Errors
    /// Those of the database.
    fn lock_users(
        &self,
        _users: &[UserId],
        _admins: bool,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Locks employee numbers and email addresses until the end of the transaction. Together they are
    /// unique, which no unique index can ensure.
    ///
    /// # Errors
    /// Those of the database.
    fn lock_user_names(&self, _names: Vec<&str>) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Locks the failures of the name and of the address of an attempt, so that the next failure sees
    /// this one.
    ///
    /// # Errors
    /// Those of the database.
    fn lock_failures(&self, _attempt: &Attempt) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Stores the tags of a changed location where lists find them, if not in its row.
    ///
    /// # Errors
    /// Those of the database.
    fn link_location(
        &self,
        _old: Option<&Location>,
        _new: Option<&Location>,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Stores the locations of a changed user, if not in its row.
    ///
    /// # Errors
    /// Those of the database.
    fn link_user(
        &self,
        _old: Option<&User>,
        _new: &User,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Stores the sets of a changed task where lists find them, if not in its row.
    ///
    /// # Errors
    /// Those of the database.
    fn link_task(
        &self,
        _old: Option<&ScheduledTask>,
        _new: Option<&ScheduledTask>,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Appends records to the history of points, each with its tags.
    ///
    /// # Errors
    /// Those of the database.
    fn insert_point_history(
        &self,
        records: Vec<(HistoryWritten<'_>, &[String])>,
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// Stores the actions of a check-list without any.
    ///
    /// # Errors
    /// Those of the database.
    fn insert_actions(&self, list: &CheckList) -> impl Future<Output = QueryResult<()>> + Send;

    /// Stores the last uses of tokens; a use before the stored one is ignored.
    ///
    /// # Errors
    /// Those of the database.
    fn touch_tokens(
        &self,
        uses: &[(TokenId, Timestamp)],
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// Stores new executions with this version.
    ///
    /// # Errors
    /// Those of the database.
    fn insert_executions<E: Send>(
        &self,
        new: &[&TaskExecution],
        version: Version,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send;

    /// Replaces an execution under the next version. Writes only what has changed.
    ///
    /// # Errors
    /// Those of the database.
    fn replace_execution<E: Send>(
        &self,
        old: &Versioned<TaskExecution>,
        new: &TaskExecution,
    ) -> impl Future<Output = Result<(), Abort<E>>> + Send;

    /// Removes an execution. Returns the key of its row.
    ///
    /// # Errors
    /// Those of the database.
    fn remove_execution(
        &self,
        old: &TaskExecution,
    ) -> impl Future<Output = QueryResult<Option<i64>>> + Send;

    /// The ids of some of the PENDING executions with this assignee, after the execution `after`.
    ///
    /// # Errors
    /// Those of the database.
    fn assigned(
        &self,
        user: UserId,
        after: Option<TaskExecutionId>,
    ) -> impl Future<Output = QueryResult<Vec<TaskExecutionId>>> + Send;
}
