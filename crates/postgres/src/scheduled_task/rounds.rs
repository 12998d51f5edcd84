//! The executions that are made from schedules.

use std::collections::HashSet;

use async_trait::async_trait;
use diesel::{dsl::exists, prelude::*};
use diesel_async::RunQueryDsl;
use patrol_domain::{
    EditError, References, StoreError, Timestamp, Version, Versioned,
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
    sql::{StoredId, id, time},
};

use crate::{
    Store,
    change::{self, Change, Editable as _, Findable as _, Removable as _},
    engine::{Abort, Connection},
    task_execution::insert,
};

#[async_trait]
impl Rounds for Store {
    async fn due(&self, until: Timestamp) -> Result<Vec<DueTask>, StoreError> {
        self.read(async |conn| {
            let mut conn = conn.as_ref();
            let mut found: Vec<Due> = scheduled_tasks::table
                .filter(scheduled_tasks::compare_from.is_not_null())
                .order(scheduled_tasks::compare_from)
                .limit(TASKS)
                .select(Due::as_select())
                .load(&mut conn)
                .await?;
            let waiting = scheduled_tasks::table
                .filter(scheduled_tasks::due_at.le(until.millis()))
                .filter(scheduled_tasks::compare_from.is_null())
                .order(scheduled_tasks::due_at)
                .limit(TASKS)
                .select(Due::as_select());
            found.extend(waiting.load(&mut conn).await?);
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
        self.page_of(move |conn| async move { following(&conn, task, from.seconds(), now).await })
            .await
    }

    async fn made(
        &self,
        task: ScheduledTaskId,
        from: LocalDateTime,
    ) -> Result<Vec<MadeRound>, StoreError> {
        self.page_of(move |conn| async move {
            let rows: Vec<StoredMadeRound> = scheduled_task_occurrences::table
                .left_join(task_executions::table.on(is_made()))
                .filter(was_made(id(task), from.seconds()))
                .order(scheduled_task_occurrences::start)
                .select(made_columns())
                .load(&mut conn.as_ref())
                .await?;
            Ok(rows.into_iter().filter_map(made_round).collect())
        })
        .await
    }

    async fn occurrence(
        &self,
        execution: TaskExecutionId,
    ) -> Result<Option<LocalDateTime>, StoreError> {
        self.read(async |conn| {
            let start = scheduled_task_occurrences::table
                .filter(scheduled_task_occurrences::execution_id.eq(id(execution)))
                .select(scheduled_task_occurrences::start)
                .first(&mut conn.as_ref())
                .await
                .optional()?;
            Ok(start.and_then(LocalDateTime::from_seconds))
        })
        .await
    }

    async fn store(&self, batch: RoundBatch, by: Origin) -> Result<bool, EditError> {
        self.transaction_on(batch.task.id.0, async |conn| {
            let RoundBatch { task, before, after, created, changed, deleted, is_last } = &batch;
            let mut connection = conn.as_ref();
            let same = scheduled_tasks::table.find(id(task.id));
            let stored: Option<(i64, Option<i64>, Option<i64>)> = same
                .select((
                    scheduled_tasks::version,
                    scheduled_tasks::due_at,
                    scheduled_tasks::compare_from,
                ))
                .for_update()
                .first(&mut connection)
                .await
                .optional()?;
            let Some((version, due_at, compare_from)) = stored else { return Ok(false) };
            let is_same = task.expected.is_none_or(|expected| expected == Version(version));
            if !is_same || (due_at, compare_from) != stored_made(*before) {
                return Ok(false);
            }
            let mut gone = Vec::new();
            for at in deleted {
                gone.extend(lock(&conn, at.id, at.expected).await?);
            }
            remove(&conn, &gone, &by).await?;
            for (at, new) in changed {
                let Some(old) = lock(&conn, at.id, at.expected).await? else { continue };
                TaskExecution::replace(&conn, &old, new).await?;
                change::record_changes(&conn, &[Change::Update(&old.record, new)], &by).await?;
            }
            create(&conn, task.id, created, &by).await?;
            let (due_at, compare_from): StoredRoundsMade = stored_made(*after);
            diesel::update(same)
                .set((
                    scheduled_tasks::due_at.eq(due_at),
                    scheduled_tasks::compare_from.eq(compare_from),
                    is_last.then(WithoutOrigin::default),
                ))
                .execute(&mut connection)
                .await?;
            Ok(true)
        })
        .await
    }
}

/// The execution, locked, if it still has the expected version.
async fn lock(
    conn: &Connection,
    execution: TaskExecutionId,
    expected: Option<Version>,
) -> Result<Option<Versioned<TaskExecution>>, Abort<EditError>> {
    let found = TaskExecution::lock(conn, execution, &References::default()).await?;
    Ok(found.filter(|found| found.version.check(expected).is_ok()))
}

/// Stores the executions of occurrences from which none was made before.
async fn create(
    mut conn: &Connection,
    task: ScheduledTaskId,
    created: &[(LocalDateTime, TaskExecution)],
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    let rows: Vec<_> =
        created.iter().map(|(start, new)| Occurrence::new(task, *start, new.id)).collect();
    let made: Vec<i64> = diesel::insert_into(scheduled_task_occurrences::table)
        .values(rows)
        .on_conflict_do_nothing()
        .returning(scheduled_task_occurrences::start)
        .get_results(&mut conn)
        .await?;
    let made: HashSet<_> = made.into_iter().collect();
    let new: Vec<_> = created
        .iter()
        .filter(|(start, _)| made.contains(&start.seconds()))
        .map(|(_, new)| new)
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    insert(conn, &new, Version::FIRST).await?;
    let changes: Vec<_> = new.into_iter().map(Change::Create).collect();
    change::record_changes(conn, &changes, by).await
}

/// Whether executions of the task have yet to be compared with its plan.
pub(crate) async fn is_being_compared<E: Send>(
    mut conn: &Connection,
    task: ScheduledTaskId,
) -> Result<bool, Abort<E>> {
    let same = scheduled_tasks::table.filter(is_compared(id(task))).select(scheduled_tasks::id);
    Ok(diesel::select(exists(same)).get_result(&mut conn).await?)
}

/// Moves the occurrences of a task with the local start `from` or a later one by `by` seconds. Nothing
/// is to be compared with the plan that moves them: their executions moved with it, others stay.
pub(crate) async fn move_rounds<E: Send>(
    mut conn: &Connection,
    task: ScheduledTaskId,
    from: LocalDateTime,
    by: i64,
) -> Result<(), Abort<E>> {
    let (table, start) = (scheduled_task_occurrences::table, scheduled_task_occurrences::start);
    let (task, from) = (id(task), from.seconds());
    let earlier: Vec<i64> = table
        .filter(was_made(task, from.saturating_add(by)))
        .filter(start.lt(from))
        .select(start)
        .load(&mut conn)
        .await?;
    // Where two would have the same start, the one that had it before stays.
    for starts in earlier.chunks(ROUNDS_AT_ONCE) {
        let meeting = starts.iter().map(|start| start - by).collect();
        diesel::delete(table.filter(was_made_at(task, meeting))).execute(&mut conn).await?;
    }
    let shifted = diesel::update(table.filter(was_made(task, from)));
    shifted.set(start.eq(start + by + ASIDE)).execute(&mut conn).await?;
    let aside = diesel::update(table.filter(was_made(task, ASIDE / 2)));
    aside.set(start.eq(start - ASIDE)).execute(&mut conn).await?;
    let same = diesel::update(scheduled_tasks::table.filter(scheduled_tasks::id.eq(task)));
    same.set(scheduled_tasks::compare_from.eq(None::<i64>)).execute(&mut conn).await?;
    Ok(())
}

/// Removes executions, which are locked. Their occurrences may be made again.
async fn remove(
    mut conn: &Connection,
    gone: &[Versioned<TaskExecution>],
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    for Versioned { record, .. } in gone {
        let same = scheduled_task_occurrences::execution_id.eq(id(record.id));
        diesel::delete(scheduled_task_occurrences::table.filter(same)).execute(&mut conn).await?;
        let row = TaskExecution::remove(conn, record.id).await?;
        change::record_changes(conn, &[Change::Delete(record, row)], by).await?;
    }
    Ok(())
}

/// Removes the executions that would follow a changed plan.
pub(super) async fn remove_following(
    conn: &Connection,
    task: ScheduledTaskId,
    by: &Origin,
) -> Result<(), Abort<EditError>> {
    // The effect of the request is the removal of the task alone.
    let beside = Origin { keyed: None, ..*by };
    let mut from = LocalDateTime::before(by.at).seconds();
    loop {
        let found = following(conn, task, from, by.at).await?;
        let Some(last) = found.last() else { return Ok(()) };
        // One that was changed since it was found stays.
        from = last.start.seconds().saturating_add(1);
        let mut gone = Vec::with_capacity(found.len());
        for Round { execution, .. } in found {
            gone.extend(lock(conn, execution.record.id, Some(execution.version)).await?);
        }
        remove(conn, &gone, &beside).await?;
    }
}

/// See [`Rounds::following`].
async fn following<E: Send>(
    mut conn: &Connection,
    task: ScheduledTaskId,
    from: i64,
    now: Timestamp,
) -> Result<Vec<Round>, Abort<E>> {
    let rows: Vec<(i64, StoredId)> = scheduled_task_occurrences::table
        .inner_join(task_executions::table.on(is_made()))
        .filter(was_made(id(task), from))
        .filter(may_follow(time(now)))
        .order(scheduled_task_occurrences::start)
        .limit(i64::try_from(ROUNDS_AT_ONCE).unwrap_or(i64::MAX))
        .select((scheduled_task_occurrences::start, task_executions::id))
        .load(&mut conn)
        .await?;
    let (mut found, mut parts) = (Vec::new(), 0);
    for (start, execution) in rows {
        if parts >= PARTS_AT_ONCE {
            break;
        }
        let (Some(start), Some(execution)) = (LocalDateTime::from_seconds(start), execution.get())
        else {
            continue;
        };
        if let Some(execution) = TaskExecution::find(conn, execution).await? {
            parts += execution.record.parts();
            found.push(Round { start, execution });
        }
    }
    Ok(found)
}
