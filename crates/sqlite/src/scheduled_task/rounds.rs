//! The executions that are made from schedules.

use async_trait::async_trait;
use diesel::{dsl::exists, prelude::*};
use patrol_domain::{
    At, EditError, StoreError, Timestamp, Version,
    event::Origin,
    ids::{ScheduledTaskId, TaskExecutionId},
    schedule::LocalDateTime,
    scheduled_task::{
        DueTask, MadeRound, PARTS_AT_ONCE, ROUNDS_AT_ONCE, Round, RoundBatch, Rounds,
    },
    task_execution::TaskExecution,
};
use patrol_stored::{
    scheduled_task::rounds::{
        ASIDE, Due, Occurrence, StoredMadeRound, StoredRoundsMade, TASKS, WithoutOrigin,
        is_compared, is_made, made_columns, made_round, may_follow, stored_made, was_made,
        was_made_at,
    },
    schema::{scheduled_task_occurrences, scheduled_tasks, task_executions},
    sql::{id, time},
};

use crate::{
    Store,
    change::{self, Change, Editable as _, Findable as _, Found, Removable as _},
    engine::Abort,
    task_execution::{New, by_row, insert_parts, insert_row, next_row},
};

#[async_trait]
impl Rounds for Store {
    async fn due(&self, until: Timestamp) -> Result<Vec<DueTask>, StoreError> {
        self.read(move |conn| {
            let mut found: Vec<Due> = scheduled_tasks::table
                .filter(scheduled_tasks::compare_from.is_not_null())
                .order(scheduled_tasks::compare_from)
                .limit(TASKS)
                .select(Due::as_select())
                .load(conn)?;
            let waiting = scheduled_tasks::table
                .filter(scheduled_tasks::due_at.le(until.millis()))
                .filter(scheduled_tasks::compare_from.is_null())
                .order(scheduled_tasks::due_at)
                .limit(TASKS)
                .select(Due::as_select());
            found.extend(waiting.load(conn)?);
            Ok(found.into_iter().map(Due::task).collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn following(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
        now: Timestamp,
    ) -> Result<Vec<Round>, StoreError> {
        self.page(move |conn| {
            let round = |(start, found): (_, Found<TaskExecution>)| Round {
                start,
                execution: found.versioned,
            };
            Ok(following(conn, task, from.seconds(), now)?.into_iter().map(round).collect())
        })
        .await
    }

    async fn made(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
    ) -> Result<Vec<MadeRound>, StoreError> {
        self.page(move |conn| {
            let rows: Vec<StoredMadeRound> = scheduled_task_occurrences::table
                .left_join(task_executions::table.on(is_made()))
                .filter(was_made(id(task), from.seconds()))
                .order(scheduled_task_occurrences::start)
                .select(made_columns())
                .load(conn)?;
            Ok(rows.into_iter().filter_map(made_round).collect())
        })
        .await
    }

    async fn occurrence(
        &self,
        execution: TaskExecutionId,
    ) -> Result<Option<LocalDateTime>, StoreError> {
        self.read(move |conn| {
            let start = scheduled_task_occurrences::table
                .filter(scheduled_task_occurrences::execution_id.eq(id(execution)))
                .select(scheduled_task_occurrences::start)
                .first(conn)
                .optional()?;
            Ok(start.and_then(LocalDateTime::from_seconds))
        })
        .await
    }

    async fn store(&self, batch: RoundBatch, by: Origin) -> Result<bool, EditError> {
        self.write(move |conn| {
            let RoundBatch { task, before, after, created, changed, deleted, is_last } = &batch;
            let same = scheduled_tasks::table.filter(scheduled_tasks::id.eq(id(task.id)));
            let stored: Option<(i64, Option<i64>, Option<i64>)> = same
                .select((
                    scheduled_tasks::version,
                    scheduled_tasks::due_at,
                    scheduled_tasks::compare_from,
                ))
                .first(conn)
                .optional()?;
            let Some((version, due_at, compare_from)) = stored else { return Ok(false) };
            let is_same = task.expected.is_none_or(|expected| expected == Version(version));
            if !is_same || (due_at, compare_from) != stored_made(*before) {
                return Ok(false);
            }
            for at in deleted {
                if let Some(old) = unchanged(conn, at)? {
                    remove(conn, &old, &by)?;
                }
            }
            for (at, new) in changed {
                let Some(old) = unchanged(conn, at)? else { continue };
                TaskExecution::replace(conn, &old, new)?;
                change::record_changes(conn, &[Change::Update(&old.versioned.record, new)], &by)?;
            }
            create(conn, task.id, created, &by)?;
            let (due_at, compare_from): StoredRoundsMade = stored_made(*after);
            diesel::update(same)
                .set((
                    scheduled_tasks::due_at.eq(due_at),
                    scheduled_tasks::compare_from.eq(compare_from),
                    is_last.then(WithoutOrigin::default),
                ))
                .execute(conn)?;
            Ok(true)
        })
        .await
    }
}

/// The execution, if it still has the expected version.
fn unchanged(
    conn: &mut SqliteConnection,
    at: &At<TaskExecution>,
) -> Result<Option<Found<TaskExecution>>, Abort<EditError>> {
    let found = TaskExecution::find(conn, at.id)?;
    Ok(found.filter(|found| found.versioned.version.check(at.expected).is_ok()))
}

/// Stores the new executions, except those of occurrences from which an execution was made before.
fn create(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
    created: &[(LocalDateTime, TaskExecution)],
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let mut changes = Vec::with_capacity(created.len());
    for (start, new) in created {
        let made = diesel::insert_into(scheduled_task_occurrences::table)
            .values(Occurrence::new(task, *start, new.id))
            .on_conflict_do_nothing()
            .execute(conn)?;
        if made > 0 {
            let (row, parts) = (next_row(conn)?, New::of(new)?);
            insert_row(conn, row, &parts, Version::FIRST)?;
            insert_parts(conn, row, &parts, new, None)?;
            changes.push(Change::Create(new));
        }
    }
    change::record_changes(conn, &changes, by)
}

/// Whether executions of the task have yet to be compared with its plan.
pub(crate) fn is_being_compared(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
) -> QueryResult<bool> {
    let same = scheduled_tasks::table.filter(is_compared(id(task))).select(scheduled_tasks::id);
    diesel::select(exists(same)).get_result(conn)
}

/// Moves the occurrences of a task with the local start `from` or a later one by `by` seconds. Then
/// no execution has to be compared with the changed plan: the executions of these occurrences
/// changed together with the plan, and the others stay.
pub(crate) fn move_rounds(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
    from: LocalDateTime,
    by: i64,
) -> QueryResult<()> {
    let (table, start) = (scheduled_task_occurrences::table, scheduled_task_occurrences::start);
    let (task, from) = (id(task), from.seconds());
    let earlier: Vec<i64> = table
        .filter(was_made(task, from.saturating_add(by)))
        .filter(start.lt(from))
        .select(start)
        .load(conn)?;
    // If an occurrence already has the new start, it stays and the moved one is deleted.
    for starts in earlier.chunks(ROUNDS_AT_ONCE) {
        let colliding = starts.iter().map(|start| start - by).collect();
        diesel::delete(table.filter(was_made_at(task, colliding))).execute(conn)?;
    }
    let shifted = diesel::update(table.filter(was_made(task, from)));
    shifted.set(start.eq(start + by + ASIDE)).execute(conn)?;
    let aside = diesel::update(table.filter(was_made(task, ASIDE / 2)));
    aside.set(start.eq(start - ASIDE)).execute(conn)?;
    let same = diesel::update(scheduled_tasks::table.filter(scheduled_tasks::id.eq(task)));
    same.set(scheduled_tasks::compare_from.eq(None::<i64>)).execute(conn)?;
    Ok(())
}

/// Removes an execution whose occurrence may be made again.
fn remove(
    conn: &mut SqliteConnection,
    old: &Found<TaskExecution>,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let record = &old.versioned.record;
    let same = scheduled_task_occurrences::execution_id.eq(id(record.id));
    diesel::delete(scheduled_task_occurrences::table.filter(same)).execute(conn)?;
    TaskExecution::remove(conn, old)?;
    change::record_changes(conn, &[Change::Delete(record, Some(old.row))], by)
}

/// Removes the executions that would follow a changed plan.
pub(super) fn remove_following(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    // The effect of the request is the removal of the task alone.
    let beside = Origin { keyed: None, ..*by };
    loop {
        let found = following(conn, task, LocalDateTime::before(by.at).seconds(), by.at)?;
        if found.is_empty() {
            return Ok(());
        }
        for (_, old) in &found {
            remove(conn, old, &beside)?;
        }
    }
}

/// See [`Rounds::following`].
fn following<E>(
    conn: &mut SqliteConnection,
    task: ScheduledTaskId,
    from: i64,
    now: Timestamp,
) -> Result<Vec<(LocalDateTime, Found<TaskExecution>)>, Abort<E>> {
    let rows: Vec<(i64, i64)> = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(is_made()))
        .filter(was_made(id(task), from))
        .filter(may_follow(time(now)))
        .order(scheduled_task_occurrences::start)
        .limit(i64::try_from(ROUNDS_AT_ONCE).unwrap_or(i64::MAX))
        .select((scheduled_task_occurrences::start, task_executions::row))
        .load(conn)?;
    let (mut found, mut parts) = (Vec::new(), 0);
    for (start, row) in rows {
        if parts >= PARTS_AT_ONCE {
            break;
        }
        if let (Some(start), Some(execution)) =
            (LocalDateTime::from_seconds(start), by_row(conn, row)?)
        {
            parts += execution.versioned.record.parts();
            found.push((start, execution));
        }
    }
    Ok(found)
}
