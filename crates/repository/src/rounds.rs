//! The executions that are made from schedules.

use async_trait::async_trait;
use diesel::{dsl::exists, prelude::*};
use futures_util::FutureExt as _;
use patrol_domain::{
    EditError, References, StoreError, Target, Timestamp, Version, Versioned,
    event::Origin,
    ids::{ScheduledTaskId, TaskExecutionId, Uuid},
    schedule::LocalDateTime,
    scheduled_task::{
        DueTask, MadeOccurrence, PARTS_AT_ONCE, ROUNDS_AT_ONCE, Round, RoundBatch, RoundCounts,
        Rounds,
    },
    task_execution::TaskExecution,
};

use crate::{
    Connection, Dialect, Editable as _, Engine, Findable as _, Removable as _, Repository,
    change::record_changes,
    stored::{
        Abort,
        event::RecordChange,
        scheduled_task::rounds::{
            ASIDE, Due, Occurrence, StoredMadeOccurrence, StoredRoundProgress, TASKS,
            WithoutOrigin, has_execution, is_compared, made_columns, made_round, may_follow,
            starts_at, starts_from, stored_made,
        },
        schema::{scheduled_task_occurrences, scheduled_tasks, task_executions},
        sql::{Id, columns, id, time},
        statement::{Lock, locked},
    },
};

#[async_trait]
impl<S: Engine> Rounds for Repository<S> {
    async fn due(&self, until: Timestamp) -> Result<Vec<DueTask>, StoreError> {
        self.0.read(until, |conn, until| due(conn, *until).boxed()).await
    }

    async fn following(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
        now: Timestamp,
    ) -> Result<Vec<Round>, StoreError> {
        let arguments = (task, from, now);
        self.0
            .page(arguments, |conn, (task, from, now)| {
                following(conn, *task, from.seconds(), *now).boxed()
            })
            .await
    }

    async fn made(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
    ) -> Result<Vec<MadeOccurrence>, StoreError> {
        self.0.page((task, from), |conn, (task, from)| made(conn, *task, *from).boxed()).await
    }

    async fn occurrence(
        &self,
        execution: TaskExecutionId,
    ) -> Result<Option<LocalDateTime>, StoreError> {
        self.0.read(execution, |conn, execution| occurrence(conn, *execution).boxed()).await
    }

    async fn store(&self, batch: RoundBatch, by: Origin) -> Result<Option<RoundCounts>, EditError> {
        let task = batch.task.id.0;
        self.0
            .write(Some(task), (batch, by), |conn, (batch, by)| store(conn, batch, by).boxed())
            .await
    }
}

async fn due(conn: &impl Connection, until: Timestamp) -> Result<Vec<DueTask>, Abort<StoreError>> {
    let changed = scheduled_tasks::table
        .filter(scheduled_tasks::compare_from.is_not_null())
        .order(scheduled_tasks::compare_from)
        .limit(TASKS)
        .select(columns::<Due>());
    let waiting = scheduled_tasks::table
        .filter(scheduled_tasks::due_at.le(until.millis()))
        .filter(scheduled_tasks::compare_from.is_null())
        .order(scheduled_tasks::due_at)
        .limit(TASKS)
        .select(columns::<Due>());
    let mut found: Vec<Due> = conn.load(changed).await?;
    found.extend(conn.load(waiting).await?);
    Ok(found.into_iter().map(Due::task).collect::<Result<_, _>>()?)
}

/// See [`Rounds::following`].
async fn following<E: Send>(
    conn: &impl Dialect,
    task: ScheduledTaskId,
    from: i64,
    now: Timestamp,
) -> Result<Vec<Round>, Abort<E>> {
    let query = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(has_execution()))
        .filter(starts_from(id(task), from))
        .filter(may_follow(time(now)))
        .order(scheduled_task_occurrences::start)
        .limit(i64::try_from(ROUNDS_AT_ONCE).unwrap_or(i64::MAX))
        .select((scheduled_task_occurrences::start, task_executions::id));
    let rows: Vec<(i64, Id)> = conn.load(query).await?;
    let (mut found, mut parts) = (Vec::new(), 0);
    for (start, execution) in rows {
        if parts >= PARTS_AT_ONCE {
            break;
        }
        let (Some(start), Some(execution)) = (LocalDateTime::from_seconds(start), execution.get())
        else {
            continue;
        };
        if let Some(execution) = TaskExecution::find(conn, execution, Lock::None).await? {
            parts += execution.record.parts();
            found.push(Round { start, execution });
        }
    }
    Ok(found)
}

async fn made(
    conn: &impl Connection,
    task: ScheduledTaskId,
    from: LocalDateTime,
) -> Result<Vec<MadeOccurrence>, Abort<StoreError>> {
    let query = scheduled_task_occurrences::table
        .left_join(task_executions::table.on(has_execution()))
        .filter(starts_from(id(task), from.seconds()))
        .order(scheduled_task_occurrences::start)
        .select(made_columns());
    let rows: Vec<StoredMadeOccurrence> = conn.load(query).await?;
    Ok(rows.into_iter().filter_map(made_round).collect())
}

async fn occurrence(
    conn: &impl Connection,
    execution: TaskExecutionId,
) -> Result<Option<LocalDateTime>, Abort<StoreError>> {
    let query = scheduled_task_occurrences::table
        .filter(scheduled_task_occurrences::execution_id.eq(id(execution)))
        .limit(1)
        .select(scheduled_task_occurrences::start);
    Ok(conn.first(query).await?.and_then(LocalDateTime::from_seconds))
}

async fn store(
    conn: &impl Dialect,
    batch: &RoundBatch,
    by: &Origin,
) -> Result<Option<RoundCounts>, Abort<EditError>> {
    let RoundBatch { task, before, after, created, changed, deleted, is_last } = batch;
    let same = scheduled_tasks::table.find(id(task.id));
    let made = (scheduled_tasks::version, scheduled_tasks::due_at, scheduled_tasks::compare_from);
    let stored: Option<(i64, Option<i64>, Option<i64>)> =
        conn.first(locked(same.select(made))).await?;
    let Some((version, due_at, compare_from)) = stored else { return Ok(None) };
    let is_same = task.expected.is_none_or(|expected| expected == Version(version));
    if !is_same || (due_at, compare_from) != stored_made(*before) {
        return Ok(None);
    }
    let mut counts = RoundCounts::default();
    let mut touched: Vec<_> = deleted.iter().map(|at| (at, None)).collect();
    touched.extend(changed.iter().map(|(at, new)| (at, Some(new))));
    // Every change of several executions locks them in order of id, so that no two deadlock.
    touched.sort_by_key(|(at, _)| at.id);
    for (at, new) in touched {
        let Some(old) = unchanged(conn, at).await? else { continue };
        if let Some(new) = new {
            TaskExecution::replace(conn, &old, new).await?;
            record_changes(conn, &[RecordChange::Update(&old.record, new)], by).await?;
            counts.changed += 1;
        } else {
            remove(conn, &old.record, by).await?;
            counts.deleted += 1;
        }
    }
    counts.created = create(conn, task.id, created, by).await?;
    let (due_at, compare_from): StoredRoundProgress = stored_made(*after);
    let compared = diesel::update(same).set((
        scheduled_tasks::due_at.eq(due_at),
        scheduled_tasks::compare_from.eq(compare_from),
        is_last.then(WithoutOrigin::default),
    ));
    conn.execute(compared).await?;
    Ok(Some(counts))
}

/// The execution, locked, if it still has the expected version.
async fn unchanged(
    conn: &impl Dialect,
    at: &Target<TaskExecution>,
) -> Result<Option<Versioned<TaskExecution>>, Abort<EditError>> {
    let found = TaskExecution::lock(conn, at.id, &References::default()).await?;
    Ok(found.filter(|found| found.version.check(at.expected).is_ok()))
}

/// Stores the new executions, except those of occurrences from which an execution was made before.
/// Returns their number.
async fn create(
    conn: &impl Dialect,
    task: ScheduledTaskId,
    created: &[(LocalDateTime, TaskExecution)],
    by: &Origin,
) -> Result<usize, Abort<EditError>> {
    let occurrence = |(start, new): &(_, TaskExecution)| {
        diesel::insert_into(scheduled_task_occurrences::table)
            .values(Occurrence::new(task, *start, new.id))
            .on_conflict_do_nothing()
    };
    let made = conn.execute_all(created.iter().map(occurrence).collect()).await?;
    let new = created.iter().zip(made).filter(|(_, made)| *made > 0);
    let new: Vec<_> = new.map(|((_, execution), _)| execution).collect();
    if new.is_empty() {
        return Ok(0);
    }
    conn.insert_executions(&new, Version::FIRST).await?;
    let changes: Vec<_> = new.into_iter().map(RecordChange::Create).collect();
    record_changes(conn, &changes, by).await?;
    Ok(changes.len())
}

/// Removes a locked execution and its occurrence, so that an execution can be made from the
/// occurrence again.
async fn remove(
    conn: &impl Dialect,
    old: &TaskExecution,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let same = scheduled_task_occurrences::execution_id.eq(id(old.id));
    conn.execute(diesel::delete(scheduled_task_occurrences::table.filter(same))).await?;
    let row = TaskExecution::remove(conn, old).await?;
    record_changes(conn, &[RecordChange::Delete(old, row)], by).await
}

/// Removes the executions that a changed plan would still change: PENDING, not edited, and in the
/// future. Used when the task is removed.
pub(crate) async fn remove_following(
    conn: &impl Dialect,
    task: ScheduledTaskId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    // The effect of the request is the removal of the task alone.
    let without_key = by.without_key();
    let mut after = None;
    loop {
        let found = following_ids(conn, task, after, by.at).await?;
        let Some(last) = found.last() else { return Ok(()) };
        after = Some(last.id);
        for at in found {
            // An execution that was changed since it was found stays.
            if let Some(old) = unchanged(conn, &at).await? {
                remove(conn, &old.record, &without_key).await?;
            }
        }
    }
}

/// Some of the executions that follow the plan, with their versions, in order of id after `after`.
async fn following_ids(
    conn: &impl Connection,
    task: ScheduledTaskId,
    after: Option<TaskExecutionId>,
    now: Timestamp,
) -> QueryResult<Vec<Target<TaskExecution>>> {
    let after = after.map_or(Uuid::nil(), |execution| execution.0);
    let query = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(has_execution()))
        .filter(starts_from(id(task), LocalDateTime::before(now).seconds()))
        .filter(may_follow(time(now)))
        .filter(task_executions::id.gt(id(after)))
        .order(task_executions::id)
        .limit(i64::try_from(ROUNDS_AT_ONCE).unwrap_or(i64::MAX))
        .select((task_executions::id, task_executions::version));
    let rows: Vec<(Id, i64)> = conn.load(query).await?;
    let at = |(execution, version): (Id, i64)| {
        Some(Target { id: execution.get()?, expected: Some(Version(version)) })
    };
    Ok(rows.into_iter().filter_map(at).collect())
}

/// Whether executions of the task have yet to be compared with its plan.
pub(crate) async fn is_being_compared(
    conn: &impl Connection,
    task: ScheduledTaskId,
) -> QueryResult<bool> {
    let same = scheduled_tasks::table.filter(is_compared(id(task))).select(scheduled_tasks::id);
    Ok(conn.first(diesel::select(exists(same))).await?.unwrap_or(false))
}

/// Moves the occurrences of a task that start at the local time `from` or later by `by` seconds.
/// Also ends the comparison with the plan: the executions of these occurrences changed together
/// with the plan, and the others stay.
///
/// # Errors
/// Those of the database.
pub(crate) async fn move_rounds(
    conn: &impl Connection,
    task: ScheduledTaskId,
    from: LocalDateTime,
    by: i64,
) -> QueryResult<()> {
    let (table, start) = (scheduled_task_occurrences::table, scheduled_task_occurrences::start);
    let (task, from) = (id(task), from.seconds());
    let earlier = table
        .filter(starts_from(task, from.saturating_add(by)))
        .filter(start.lt(from))
        .select(start);
    let earlier: Vec<i64> = conn.load(earlier).await?;
    // If an occurrence already has the new start, it stays and the moved one is deleted.
    for starts in earlier.chunks(ROUNDS_AT_ONCE) {
        let colliding = starts.iter().map(|start| start - by).collect();
        conn.execute(diesel::delete(table.filter(starts_at(task, colliding)))).await?;
    }
    let shifted = diesel::update(table.filter(starts_from(task, from)));
    conn.execute(shifted.set(start.eq(start + by + ASIDE))).await?;
    let aside = diesel::update(table.filter(starts_from(task, ASIDE / 2)));
    conn.execute(aside.set(start.eq(start - ASIDE))).await?;
    let same = diesel::update(scheduled_tasks::table.find(task));
    conn.execute(same.set(scheduled_tasks::compare_from.eq(None::<i64>))).await?;
    Ok(())
}
