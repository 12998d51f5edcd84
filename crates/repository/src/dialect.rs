//! What each database does in its own way.

use std::future::Future;

use diesel::QueryResult;
use patrol_domain::{
    Resource, Timestamp, Version, Versioned,
    check_list::CheckList,
    event::EventFilter,
    figures::{FiguresQuery, Groups},
    ids::{TokenId, UserId, Uuid},
    list::Condition,
    sign_in::Attempt,
    task_execution::TaskExecution,
};

use crate::{
    connection::Connection,
    stored::{
        Abort,
        link::Linked,
        list::{Sql, Text},
        point::HistoryColumns,
        statement::Lock,
    },
};

/// A connection, with everything that its database does in its own way.
pub trait Dialect: Connection {
    /// The time of the database as an SQL expression, in milliseconds since 1970.
    const NOW: &'static str;

    /// Whether the database has arrays: as parameters, and as the columns `users.location_ids` and
    /// `scheduled_tasks.check_list_ids`. Without them these sets are rows of `user_locations` and of a
    /// link table.
    const HAS_ARRAYS: bool;

    /// The form of a text for this database.
    fn text(text: Text) -> &'static str;

    /// Counts changes in the revision of a kind of records, on a database whose lists need it.
    ///
    /// # Errors
    /// Those of the database.
    fn raise_revision(
        &self,
        _kind: Resource,
        _changes: i64,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Adds the published rounds that the query selects to `groups`.
    ///
    /// # Errors
    /// Those of the database.
    fn add_rounds(
        &self,
        query: &FiguresQuery,
        groups: &mut Groups,
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// The last position up to which every event is committed; 0 for an empty log.
    ///
    /// # Errors
    /// Those of the database.
    fn newest_event(&self) -> impl Future<Output = QueryResult<i64>> + Send;

    /// Splits `range`, the first and the last position of a page, into ranges that are searched one
    /// after another. To bound the search, the last of them may end before the end of `range`.
    fn event_parts(_condition: &Condition<EventFilter>, range: (i64, i64)) -> Vec<(i64, i64)> {
        vec![range]
    }

    /// The condition on events with positions from the first to the last of `range`.
    fn event_filter(condition: &Condition<EventFilter>, range: (i64, i64)) -> Sql;

    /// Locks the row of a record. Returns false when there is no such row; a database without row
    /// locks does not look and returns true. The next statement sees what was committed while
    /// this one waited.
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

    /// Locks these users until the end of the transaction. With `admins`, also locks all active
    /// administrators: otherwise two concurrent changes could each remove one of the last two.
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

    /// Locks employee numbers and email addresses until the end of the transaction. A number may
    /// not equal the address of another user, which no unique index can ensure.
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

    /// Updates the link tables of the sets of a record, on a database that has them. `old` is `None`
    /// for a new record, `new` for a removed one.
    ///
    /// # Errors
    /// Those of the database.
    fn link<T: Linked>(
        &self,
        _old: Option<&T>,
        _new: Option<&T>,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Appends records to the history of points, each with its tags.
    ///
    /// # Errors
    /// Those of the database.
    fn insert_point_history(
        &self,
        records: Vec<(HistoryColumns<'_>, &[String])>,
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// Stores the actions of a check-list that has no stored actions.
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
}
