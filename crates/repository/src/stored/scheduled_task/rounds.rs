//! How far the executions of a task are made, and the occurrences from which they were made.

use diesel::{dsl, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named as _, StoreError, Timestamp,
    event::{Origin, RequestId},
    ids::{ScheduledTaskId, TaskExecutionId, Uuid},
    schedule::LocalDateTime,
    scheduled_task::{
        ChangedBy, DueTask, ExecutionTimes, MadeOccurrence, RoundProgress, ScheduledTask,
    },
    task_execution::State,
};

use crate::stored::{
    row::Row,
    schema::{scheduled_task_occurrences, scheduled_tasks, task_executions},
    sql::{Id, Time, id, ids},
    statement::Statement,
};

/// The most tasks that are due at once.
pub const TASKS: i64 = 64;

/// The columns `due_at` and `compare_from`.
pub type StoredRoundProgress = (Option<i64>, Option<i64>);

/// The stored form of how far executions are made.
#[must_use]
pub fn stored_made(made: RoundProgress) -> StoredRoundProgress {
    (made.due_at.map(Timestamp::millis), made.compare_from.map(LocalDateTime::seconds))
}

/// How far the executions of a task are made, and who changed its plan.
#[derive(Queryable, Selectable)]
#[diesel(table_name = scheduled_tasks, check_for_backend(Sqlite, Pg))]
pub struct Due {
    id: Id,
    due_at: Option<i64>,
    compare_from: Option<i64>,
    changed_by: Option<Id>,
    changed_with: Option<Id>,
    changed_in: Option<String>,
}

impl Due {
    /// Decodes the task.
    ///
    /// # Errors
    /// `Corrupt` when the id cannot be read.
    pub fn task(self) -> Result<DueTask, StoreError> {
        let Self { id, due_at, compare_from, changed_by, changed_with, changed_in } = self;
        let made = RoundProgress {
            due_at: due_at.and_then(Timestamp::from_millis),
            compare_from: compare_from.and_then(LocalDateTime::from_seconds),
        };
        Ok(DueTask {
            id: Row::new("scheduled_tasks", id).id("id", id)?,
            made,
            changed_by: ChangedBy {
                actor: changed_by.and_then(Id::get),
                token: changed_with.and_then(Id::get),
                request: changed_in.and_then(|text| RequestId::new(text.as_bytes())),
            },
        })
    }
}

/// How far the executions of a task are made after the task was stored.
#[derive(AsChangeset)]
#[diesel(table_name = scheduled_tasks, treat_none_as_null = true)]
pub struct StoredProgress {
    /// `None` when it stays as it is.
    #[diesel(embed)]
    due: Option<StoredDue>,
    compare_from: Option<i64>,
    changed_by: Option<Id>,
    changed_with: Option<Id>,
    changed_in: Option<String>,
}

/// The column `due_at`; `None` when the schedule makes no executions.
#[derive(AsChangeset)]
#[diesel(table_name = scheduled_tasks, treat_none_as_null = true)]
pub struct StoredDue {
    due_at: Option<i64>,
}

impl StoredProgress {
    /// The columns of a task after a change by `by`. A changed schedule makes no occurrence that has
    /// begun, because it replaces future occurrences only. The same schedule goes on where it was.
    #[must_use]
    pub fn of(before: &ScheduledTask, task: &ScheduledTask, by: &Origin) -> Self {
        let is_same = task.active_schedule() == before.active_schedule();
        let due_at = task.active_schedule().map(|_| by.at.millis());
        Self::starting((!is_same).then_some(StoredDue { due_at }), task, by)
    }

    fn starting(due: Option<StoredDue>, task: &ScheduledTask, by: &Origin) -> Self {
        let Origin { at, actor, token, request, keyed: _ } = by;
        Self {
            due,
            compare_from: task.enabled.then(|| LocalDateTime::before(*at).seconds()),
            changed_by: actor.map(id),
            changed_with: token.map(id),
            changed_in: request.map(|request| request.as_str().to_owned()),
        }
    }

    /// The columns of a new task, whose executions the service itself makes. What is over is not made.
    #[must_use]
    pub fn of_new(task: &ScheduledTask, at: Timestamp) -> Self {
        // An occurrence that ends now is over.
        let due_at = task
            .active_schedule()
            .map(|schedule| at.millis() - i64::from(schedule.duration_minutes) * 60_000 + 1);
        Self::starting(Some(StoredDue { due_at }), task, &Origin::of_program(at))
    }

    /// The columns of an imported task. Its executions are imported as they are, and not compared with
    /// the plan.
    #[must_use]
    pub fn of_import(task: &ScheduledTask, at: Timestamp) -> Self {
        Self { compare_from: None, ..Self::of_new(task, at) }
    }
}

/// Removes the origin of the last change, after the executions have followed it.
#[derive(AsChangeset, Default)]
#[diesel(table_name = scheduled_tasks, treat_none_as_null = true)]
pub struct WithoutOrigin {
    changed_by: Option<Id>,
    changed_with: Option<Id>,
    changed_in: Option<String>,
}

/// Joins an occurrence with the execution that was made from it, while that exists.
#[dsl::auto_type(no_type_alias)]
pub fn has_execution() -> _ {
    scheduled_task_occurrences::execution_id
        .eq(task_executions::id)
        .and(scheduled_task_occurrences::task_id.eq(task_executions::scheduled_task_id))
}

/// Selects the executions that may follow a changed plan.
#[dsl::auto_type(no_type_alias)]
pub fn may_follow(now: Time) -> _ {
    let pending: i16 = State::Pending.code();
    task_executions::state
        .eq(pending)
        .and(task_executions::edited.eq(false))
        .and(task_executions::start_at.gt(now))
}

/// An occurrence whose execution is stored.
#[derive(Insertable)]
#[diesel(table_name = scheduled_task_occurrences)]
pub struct Occurrence {
    task_id: Id,
    start: i64,
    execution_id: Id,
}

impl Occurrence {
    /// The row of the occurrence of `task` at `start`.
    #[must_use]
    pub fn new(task: ScheduledTaskId, start: LocalDateTime, execution: TaskExecutionId) -> Self {
        Self { task_id: id(task), start: start.seconds(), execution_id: id(execution) }
    }

    /// The row of an occurrence whose execution was deleted.
    #[must_use]
    pub fn left_out(task: ScheduledTaskId, start: LocalDateTime) -> Self {
        Self::new(task, start, DELETED)
    }
}

/// The id that an occurrence names when its execution was deleted. No execution has it.
const DELETED: TaskExecutionId = TaskExecutionId(Uuid::max());

/// Separates new executions from the occurrences of deleted executions with the same ids. These
/// occurrences stay marked as ones whose execution was deleted.
pub fn forget_executions(new: &[TaskExecutionId]) -> impl Statement + use<> {
    let same = scheduled_task_occurrences::execution_id.eq_any(ids(new));
    let deleted = scheduled_task_occurrences::execution_id.eq(id(DELETED));
    diesel::update(scheduled_task_occurrences::table.filter(same)).set(deleted)
}

/// Deletes the occurrences without an execution that earlier tasks with these ids have left behind.
/// They would hide those of the new tasks.
pub fn forget_left_out(new: &[ScheduledTaskId]) -> impl Statement + use<> {
    let made = task_executions::table.filter(has_execution()).select(task_executions::id);
    let of_tasks = scheduled_task_occurrences::table
        .filter(scheduled_task_occurrences::task_id.eq_any(ids(new)));
    diesel::delete(of_tasks.filter(dsl::not(dsl::exists(made))))
}

/// Selects the occurrences of a task from this local start on.
#[dsl::auto_type(no_type_alias)]
pub fn starts_from(task: Id, from: i64) -> _ {
    scheduled_task_occurrences::task_id.eq(task).and(scheduled_task_occurrences::start.ge(from))
}

/// Selects the task while its executions have yet to be compared with its plan.
#[dsl::auto_type(no_type_alias)]
pub fn is_compared(task: Id) -> _ {
    scheduled_tasks::id.eq(task).and(scheduled_tasks::compare_from.is_not_null())
}

/// Added to the start of an occurrence while others move, so that no two have the same.
pub const ASIDE: i64 = 1 << 40;

/// Selects the occurrences of a task at one of these local starts.
#[dsl::auto_type(no_type_alias)]
pub fn starts_at(task: Id, starts: Vec<i64>) -> _ {
    let is_one: dsl::EqAny<scheduled_task_occurrences::start, Vec<i64>> =
        scheduled_task_occurrences::start.eq_any(starts);
    scheduled_task_occurrences::task_id.eq(task).and(is_one)
}

/// The columns of an occurrence and of its execution, if that exists.
#[dsl::auto_type(no_type_alias)]
pub fn made_columns() -> _ {
    (
        scheduled_task_occurrences::start,
        task_executions::id.nullable(),
        task_executions::start_at.nullable(),
        task_executions::end_at.nullable(),
    )
}

/// A row of [`made_columns`].
pub type StoredMadeOccurrence = (i64, Option<Id>, Option<Time>, Option<Time>);

/// Decodes a row. `None` when its local start cannot be read.
#[must_use]
pub fn made_round(
    (start, execution, start_at, end_at): StoredMadeOccurrence,
) -> Option<MadeOccurrence> {
    let at = |time: Option<Time>| Timestamp::from_millis(time?.millis());
    let execution = execution.and_then(Id::get).zip(at(start_at)).zip(at(end_at));
    Some(MadeOccurrence {
        start: LocalDateTime::from_seconds(start)?,
        execution: execution.map(|((id, start_at), end_at)| ExecutionTimes {
            id: Some(id),
            start_at,
            end_at,
        }),
    })
}
